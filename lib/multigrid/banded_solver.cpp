#include <algorithm>
#include <exception>
#include <optional>

#include "lib/multigrid/coarsest.hpp"

namespace halocline::multigrid {

namespace {

template <class T>
class BandedSolver final : public CoarsestSolver<T> {
 public:
  BandedSolver(VectorSpacePtr space, CoarsestLayout layout, std::optional<BandedLu> lu)
      : space_(std::move(space)), layout_(std::move(layout)), lu_(std::move(lu)) {
    for (int p = 0; p < space_->team().parts(); ++p)
      parts_.push_back({std::vector<T>(static_cast<std::size_t>(space_->layout().size(p))),
                        std::vector<double>(layout_.equations.size())});
  }

  void solve(const Vector<T>& f, Vector<T>& u) override {
    space_->team().each([&](int p) {
      const Executor& executor = *space_->team().executor(p);
      auto& [host, x] = parts_[static_cast<std::size_t>(p)];
      if (host.empty()) return;
      executor.copy_out(host.data(), f.part(p).data, host.size() * sizeof(T));
      for (std::size_t e = 0; e < x.size(); ++e) x[e] = host[static_cast<std::size_t>(layout_.equations[e])];
      lu_->solve(x.data());
      std::fill(host.begin(), host.end(), T{0});
      put(layout_.expand ? layout_.expand(x) : x, host);
      executor.copy_in(u.part(p).data, host.data(), host.size() * sizeof(T));
    });
  }

 private:
  struct Part {
    std::vector<T> host;  // f, then u
    std::vector<double> x;
  };

  void put(const std::vector<double>& values, std::vector<T>& host) const {
    for (std::size_t n = 0; n < values.size(); ++n)
      host[static_cast<std::size_t>(layout_.values[n])] = static_cast<T>(values[n]);
  }

  VectorSpacePtr space_;
  CoarsestLayout layout_;
  std::optional<BandedLu> lu_;  // none on ranks that hold nothing
  std::vector<Part> parts_;
};

}  // namespace

template <class T>
std::unique_ptr<CoarsestSolver<T>> make_banded_solver(VectorSpacePtr space, CoarsestLayout layout,
                                                      BandedMatrix matrix) {
  std::optional<BandedLu> lu;
  std::exception_ptr error;
  if (matrix.size() > 0) try {
      lu.emplace(std::move(matrix));
    } catch (const NumericalError&) {
      error = std::current_exception();
    }
  const bool good = space->comm().agree(!error);
  if (error) std::rethrow_exception(error);
  if (!good) throw NumericalError("multigrid: the equations of the coarsest level are singular");
  return std::make_unique<BandedSolver<T>>(std::move(space), std::move(layout), std::move(lu));
}

template std::unique_ptr<CoarsestSolver<double>> make_banded_solver(VectorSpacePtr, CoarsestLayout, BandedMatrix);
template std::unique_ptr<CoarsestSolver<float>> make_banded_solver(VectorSpacePtr, CoarsestLayout, BandedMatrix);

}  // namespace halocline::multigrid
