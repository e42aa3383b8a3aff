// std::source_location for clang 14, whose builtin the C++ library of g++ 12 does not know. Put before every file of a
// fuzz build by the preset cpu-fuzz.
#pragma once

#if defined(__cplusplus) && defined(__clang__) && __clang_major__ < 15
#include <version>
#ifndef __cpp_lib_source_location
namespace std {
struct source_location {
  static constexpr source_location current(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE()) {
    source_location here;
    here.file_ = file;
    here.line_ = line;
    return here;
  }
  constexpr const char* file_name() const { return file_; }
  constexpr unsigned line() const { return line_; }

 private:
  const char* file_ = "";
  unsigned line_ = 0;
};
}  // namespace std
#endif
#endif
