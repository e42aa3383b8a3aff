#include "app/keep_libraries.hpp"

#include <dlfcn.h>
#include <link.h>

#include <new>
#include <string>
#include <vector>

namespace halocline {

void keep_loaded_libraries() {
  std::vector<std::string> names;  // opened after the walk, which holds the loader's lock
  try {
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* list) {
          if (info->dlpi_name != nullptr && *info->dlpi_name != '\0')
            static_cast<std::vector<std::string>*>(list)->emplace_back(info->dlpi_name);
          return 0;
        },
        &names);
  } catch (const std::bad_alloc&) {  // the program has ended well, or said why not
  }
  for (const std::string& name : names) dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

}  // namespace halocline
