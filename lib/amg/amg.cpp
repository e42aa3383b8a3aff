#include "lib/amg/amg.hpp"

#include <type_traits>
#include <utility>

#include "lib/amg/kept_results.hpp"
#include "lib/multigrid/precision_shell.hpp"

namespace halocline::amg {

// The cycle in fp32 or fp64.
class Amg::Cycle {
 public:
  virtual ~Cycle() = default;
  virtual void refresh(const sparse::DistCrs& a, HierarchyFacts& facts) = 0;
  virtual Traffic sent() const = 0;
  virtual double bytes() const = 0;
  virtual const Operator<double>& shell() const = 0;
  // Whether it keeps results itself.
  virtual bool keep(int slot, const Vector<double>& y) = 0;
  virtual bool add_kept(std::span<const double> coefficients, Vector<double>& x) = 0;
};

template <class T>
class Amg::CycleIn final : public Amg::Cycle {
 public:
  CycleIn(MadeHierarchy<T> made, Index unknowns, multigrid::CycleKind kind)
      : hierarchy_(std::move(made.levels)),
        shell_(*hierarchy_, static_cast<double>(unknowns), kind),
        kind_(kind),
        kept_(std::move(made.ends)),
        refresh_(std::move(made.refresh)) {}

  void refresh(const sparse::DistCrs& a, HierarchyFacts& facts) override {
    require(refresh_ != nullptr, "amg: nothing was kept for new values");
    refresh_->run(a, *hierarchy_, facts);
  }

  Traffic sent() const override { return hierarchy_->sent(); }
  double bytes() const override { return hierarchy_->bytes(kind_); }
  const Operator<double>& shell() const override { return shell_; }
  bool keep(int slot, const Vector<double>& y) override {
    if (!halves) return false;
    kept_.keep(slot, shell_.last_scale(), y);
    return true;
  }
  bool add_kept(std::span<const double> coefficients, Vector<double>& x) override {
    if (!halves) return false;
    kept_.add(coefficients, x);
    return true;
  }

 private:
  static constexpr bool halves = std::is_same_v<T, float>;
  std::unique_ptr<multigrid::Hierarchy<T>> hierarchy_;
  multigrid::PrecisionShell<T> shell_;
  multigrid::CycleKind kind_;
  KeptResults kept_;
  std::unique_ptr<Refresh<T>> refresh_;
};

Amg::Amg(const sparse::DistCrs& a, const sparse::DistMatrix& matrix, const AmgOptions& options,
         std::span<const double> weights, RowKinds kinds) {
  const auto make = [&]<class T>(T) {
    MadeHierarchy<T> made = make_hierarchy<T>(a, matrix, options.hierarchy, weights, std::move(kinds));
    facts_ = std::move(made.facts);
    cycle_ = std::make_unique<CycleIn<T>>(std::move(made), a.rows().size(), options.cycle);
  };
  if (options.precision == Precision::fp32) {
    make(float{});
  } else {
    make(double{});
  }
}

Amg::~Amg() = default;

void Amg::refresh(const sparse::DistCrs& a) { cycle_->refresh(a, facts_); }

Traffic Amg::sent() const { return cycle_->sent(); }

double Amg::bytes() const { return cycle_->bytes(); }

void Amg::begin(const Vector<double>& r) const { cycle_->shell().begin(r); }

void Amg::apply(const Vector<double>& x, Vector<double>& y) const { cycle_->shell().apply(x, y); }

void Amg::keep(int slot, const Vector<double>& y) const {
  if (!cycle_->keep(slot, y)) Operator<double>::keep(slot, y);
}

void Amg::add_kept(std::span<const double> coefficients, Vector<double>& x) const {
  if (!cycle_->add_kept(coefficients, x)) Operator<double>::add_kept(coefficients, x);
}

}  // namespace halocline::amg
