#include "gpu/launch.hpp"
#include "lib/problems/collocation/discretization/nodal_problem.hpp"
#include "lib/problems/collocation/discretization/residual.hpp"
#include "lib/problems/collocation/lines/block_lines.hpp"
#include "lib/problems/collocation/multigrid/smoother.hpp"

namespace halocline::collocation {

namespace {

template <class T>
struct ClearBody {
  T* u;
  HALOCLINE_HD void operator()(Index n) const { u[n] = 0; }
};

// Zebra: even lines, then odd ones; the lines of a color do not touch each other, so that every half-sweep solves their
// equations exactly. Horizontal lines end at the ends of a part: their results depend on the parts.
// Traffic of a half-sweep, in vectors of the level: residual 8 (4 for vertical lines, half of them), factors 4, the
// line solves 2.
template <class T>
class ZebraSmoother final : public Smoother<T> {
 public:
  ZebraSmoother(const Level<T>& level, Along along)
      : level_(level), along_(along), halo_(*level.space, 1, 1), residual_(*level.space) {
    const Team& team = level.space->team();
    for (int p = 0; p < team.parts(); ++p) {
      const EquationView<T>& view = level.view(p);
      const Index first = along == Along::y ? view.block.first_line : 0;
      const Index count = along == Along::y ? view.block.lines() : view.block.nodes();
      for (int color = 0; color < 2; ++color)
        lines_.emplace_back(view, along, lines_of_color(first, count, color), team.executor(p));
      problems_.push_back(nodal_problem(view, *level.x, *level.y));
    }
  }

  // Whether all factors exist.
  bool regular() const {
    bool good = true;
    for (const BlockLines<T>& lines : lines_) good = good && !lines.singular();
    return good;
  }

  void sweep(const NodalVector<T>& f, NodalVector<T>& u, bool from_zero) override {
    const Team& team = level_.space->team();
    if (from_zero)
      team.each([&](int p) {
        launch(*team.executor(p), "clear", Range<1>{{0}, {level_.view(p).block.size()}}, ClearBody<T>{u.own(p)});
      });
    for (int color = 0; color < 2; ++color) {
      const bool zero = from_zero && color == 0;  // then the residual is f
      if (!zero) find_residual(f, u, color);
      const NodalVector<T>& r = zero ? f : residual_;
      team.each([&](int p) { lines_[2 * p + color].solve(r.own(p), u.own(p), true); });
    }
  }

  Traffic sent() const override { return halo_.sent(); }

 private:
  void find_residual(const NodalVector<T>& f, NodalVector<T>& u, int color) {
    const Team& team = level_.space->team();
    each_line_range(halo_, u, [&](int p, Index begin, Index end) {
      const NodalBlock& block = level_.view(p).block;
      const NodalVector<T>& from = u;
      const ResidualBody<T> body{problems_[p], from.lines(p), f.own(p), residual_.own(p)};
      if (along_ == Along::x) {
        launch_residual(*team.executor(p), {{begin}, {end}}, body);
      } else {
        const Index first = begin + ((block.first_line + begin) % 2 == color ? 0 : 1);
        launch_residual_of_alternate_lines(*team.executor(p), {{first}, {end}}, body);
      }
    });
  }

  const Level<T>& level_;
  Along along_;
  NodalHalo<T> halo_;
  NodalVector<T> residual_;
  std::vector<NodalProblem<T>> problems_;
  std::vector<BlockLines<T>> lines_;  // [part][color]
};

// Vertical lines, then horizontal ones.
template <class T>
class AlternatingSmoother final : public Smoother<T> {
 public:
  AlternatingSmoother(std::unique_ptr<Smoother<T>> vertical, std::unique_ptr<Smoother<T>> horizontal)
      : vertical_(std::move(vertical)), horizontal_(std::move(horizontal)) {}
  void sweep(const NodalVector<T>& f, NodalVector<T>& u, bool from_zero) override {
    vertical_->sweep(f, u, from_zero);
    horizontal_->sweep(f, u, false);
  }
  Traffic sent() const override {
    const Traffic v = vertical_->sent(), h = horizontal_->sent();
    return {v.messages + h.messages, v.bytes + h.bytes};
  }

 private:
  std::unique_ptr<Smoother<T>> vertical_, horizontal_;
};

template <class T>
std::unique_ptr<Smoother<T>> make_zebra(const Level<T>& level, Along along) {
  auto smoother = std::make_unique<ZebraSmoother<T>>(level, along);
  if (!level.space->comm().agree(smoother->regular()))
    throw NumericalError("collocation: the equations of a whole grid line are singular; try smoother node");
  return smoother;
}

}  // namespace

template <class T>
std::unique_ptr<Smoother<T>> make_line_smoother(const Level<T>& level, Smoothing smoothing) {
  require(smoothing != Smoothing::node, "make_line_smoother: not a smoother by lines");
  if (smoothing == Smoothing::vline) return make_zebra(level, Along::y);
  if (smoothing == Smoothing::hline) return make_zebra(level, Along::x);
  return std::make_unique<AlternatingSmoother<T>>(make_zebra(level, Along::y), make_zebra(level, Along::x));
}

template std::unique_ptr<Smoother<double>> make_line_smoother(const Level<double>&, Smoothing);
template std::unique_ptr<Smoother<float>> make_line_smoother(const Level<float>&, Smoothing);

}  // namespace halocline::collocation
