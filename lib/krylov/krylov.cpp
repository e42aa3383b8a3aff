#include "lib/krylov/krylov.hpp"

#include <string>

namespace halocline {

template <class T>
std::unique_ptr<KrylovSolver<T>> make_krylov(std::string_view method, VectorSpacePtr space,
                                             const KrylovOptions& options) {
  if (method == "bicgstab") return make_bicgstab<T>(std::move(space), options);
  if (method == "cg") return make_cg<T>(std::move(space), options);
  if (method == "fcg") return make_flexible_cg<T>(std::move(space), options);
  if (method == "gmres") return make_gmres<T>(std::move(space), options);
  throw InternalError("unknown Krylov method " + std::string(method));
}

template std::unique_ptr<KrylovSolver<double>> make_krylov(std::string_view, VectorSpacePtr, const KrylovOptions&);
template std::unique_ptr<KrylovSolver<float>> make_krylov(std::string_view, VectorSpacePtr, const KrylovOptions&);

}  // namespace halocline
