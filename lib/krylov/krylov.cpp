#include "lib/krylov/krylov.hpp"

#include <string>

namespace halocline {

std::unique_ptr<KrylovSolver> make_krylov(std::string_view method, VectorSpacePtr space, const KrylovOptions& options) {
  if (method == "bicgstab") return make_bicgstab(std::move(space), options);
  if (method == "cg") return make_cg(std::move(space), options);
  throw InternalError("unknown Krylov method " + std::string(method));
}

}  // namespace halocline
