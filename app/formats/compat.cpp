#include "app/formats/compat.hpp"

#include "app/formats/hiperc_files.hpp"

namespace halocline {

const char* purpose_of(Compat compat) {
  return compat == Compat::hiperc ? "it is for the benchmark of family diffusion" : "";
}

std::unique_ptr<CompatFiles> make_compat_files(Compat compat, const Communicator& comm, const std::string& directory) {
  switch (compat) {
    case Compat::hiperc:
      return std::make_unique<HipercFiles>(comm, directory);
    case Compat::none:
      break;
  }
  return nullptr;
}

}  // namespace halocline
