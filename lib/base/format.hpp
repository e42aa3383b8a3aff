// Text of numbers and messages, over the library fmt.
#pragma once

#if defined(__CUDACC__) || defined(HALOCLINE_KERNEL_FILE)
#error "nvcc cannot compile fmt: write messages in a source that launches no kernels"
#endif

#include <fmt/core.h>

#include <string>
#include <utility>

namespace halocline {

/// Text with the arguments in place of the braces, as fmt writes them: "{:.6g}" is what printf calls "%.6g", whatever
/// the locale. The compiler checks the form against the types.
template <class... Arguments>
std::string formatted(fmt::format_string<Arguments...> form, Arguments&&... arguments) {
  return fmt::format(form, std::forward<Arguments>(arguments)...);
}

/// A number for people: six significant digits, "%.6g" of printf.
std::string brief_text(double value);

/// A number for files: 17 significant digits, "%.17g" of printf, which are read back as the same double.
std::string exact_text(double value);

/// The shortest text that is read back as the same double: "0.1", "1e-09".
std::string shortest_text(double value);

}  // namespace halocline
