// The plan of a deck shares out the lines as the solver that the deck names needs them, says what it means, and
// finds what is wrong.
#include <gtest/gtest.h>

#include "tests/unit/collocation/collocation_cases.hpp"
#include "tests/unit/executors.hpp"
#include "tests/unit/run_problem.hpp"

namespace halocline::collocation {
namespace {

Plan plan_for(Method method, SmootherChoice smoother, Index ns, const std::vector<double>& weights) {
  CollocationOptions options = thesis(ns);
  options.block.solver.method = method;
  options.block.solver.smoother = smoother;
  ThrownFaults faults;
  return collocation_family().plan(options, {static_cast<int>(weights.size()), weights}, faults);
}

TEST(CollocationPlan, SharesOutLinesByWhatTheMethodNeeds) {
  const std::vector<double> weights{1, 1.2, 1};
  const auto expect = [&](Method method, SmootherChoice smoother, Index chunk) {
    EXPECT_EQ(plan_for(method, smoother, 512, weights).partition, Partition(513, chunk, weights, 2))
        << word_for(method) << " " << word_for(smoother);
  };
  // Multigrid distributes one level here; lines along x are whole on all parts, wherever parts begin. The closed form
  // has strips of 16 lines.
  expect(Method::mg, SmootherChoice::automatic, 2);
  expect(Method::mg, SmootherChoice::vline, 2);
  expect(Method::mg, SmootherChoice::hline, 1);
  expect(Method::closed_form, SmootherChoice::automatic, 16);
  expect(Method::schur, SmootherChoice::automatic, 2);
  expect(Method::schur_mixed, SmootherChoice::automatic, 2);
}

TEST(CollocationPlan, SaysWhenPartsRepeatTheCycle) {
  const std::vector<std::string> none;
  EXPECT_EQ(plan_for(Method::mg, SmootherChoice::node, 32, {1, 1}).notes, none);
  EXPECT_EQ(plan_for(Method::mg, SmootherChoice::hline, 32, {1}).notes, none);
  const Plan whole = plan_for(Method::mg, SmootherChoice::hline, 32, {1, 1});
  ASSERT_EQ(whole.notes.size(), 1U);
  EXPECT_NE(whole.notes[0].find("every part repeats the whole cycle"), std::string::npos);
}

TEST(CollocationPlan, RefusesMorePartsThanTheMethodCanServe) {
  EXPECT_NO_THROW(plan_for(Method::mg, SmootherChoice::hline, 16, std::vector<double>(8, 1.0)));
  EXPECT_THROW(plan_for(Method::mg, SmootherChoice::hline, 16, std::vector<double>(9, 1.0)), DeckError);
}

TEST(CollocationPlan, RunsOwnWhatItHasSharedOut) {
  const auto options = thesis(32);
  ThrownFaults faults;
  const Plan plan = collocation_family().plan(options, {1, {1, 1, 1}}, faults);
  const auto run = run_problem(Communicator(MPI_COMM_SELF), make_test_executors(TestDevice::omp_1, 3), options);
  for (int p = 0; p < 3; ++p) {
    EXPECT_EQ(run.output.fields.at("u")[p].block.lo[0], plan.partition.block(p).lo[0]);
    EXPECT_EQ(run.output.fields.at("u")[p].block.hi[0], plan.partition.block(p).hi[0]);
  }
}

struct ListedFaults final : Faults {
  void at(std::string_view path, const std::string& message) override {
    text += std::string(path) + ": " + message + "\n";
    ++count;
  }
  void at(const Place& place, const std::string& message) override {
    text += to_string(place) + ": " + message + "\n";
    ++count;
  }
  std::string text;
  int count = 0;
};

void expect_faults(const CollocationOptions& options, std::initializer_list<const char*> fragments) {
  ListedFaults faults;
  collocation_family().plan(options, Shape{}, faults);
  EXPECT_EQ(faults.count, static_cast<int>(fragments.size())) << faults.text;
  for (const char* fragment : fragments) EXPECT_NE(faults.text.find(fragment), std::string::npos) << faults.text;
}

TEST(CollocationFaults, CoefficientsAreCheckedAtAllGaussPoints) {
  auto options = varying(16, 16);
  expect_faults(options, {});
  options.block.equation.a = formula("x - 0.5");
  options.block.solver.method = Method::mg;
  expect_faults(options, {"equation.a: a c - b^2 must be positive for an elliptic equation, and neither a nor c may"});
  options = varying(16, 16);
  options.block.equation.b = formula("2*x");
  expect_faults(options, {"equation.b: a c - b^2 must be positive"});
  options = varying(16, 16);
  options.block.equation.d = formula("1/(x-y)");
  expect_faults(options, {"equation.d: is not finite", "equation.f: is not finite"});
  options = varying(16, 16);
  options.block.equation.eta = formula("x - 0.9");
  expect_faults(options, {"allow_indefinite"});
  options.block.solver.allow_indefinite = true;
  expect_faults(options, {});
  options = varying(16, 16);
  options.block.equation.f = formula("log(x - 0.5)");
  options.block.sides.sides[4].value = formula("0");
  expect_faults(options, {"equation.f: is not finite at x = "});
}

TEST(CollocationFaults, SidesThatContradict) {
  auto options = varying(16, 16);
  auto& rest = options.block.sides.sides[4];
  rest.kind = SideKind::robin;
  expect_faults(options, {"rest.alpha: is required", "rest.beta: is required"});
  rest.alpha = formula("0");
  rest.beta = formula("0");
  expect_faults(options, {"rest.alpha: and beta must not both be 0"});
  rest.alpha = formula("1");
  rest.beta = formula("-2");
  expect_faults(options, {"opposite sign"});
  options.block.solver.allow_indefinite = true;
  expect_faults(options, {});
  options.block.solver.allow_indefinite = false;
  rest.beta = formula("y - 0.5");
  expect_faults(options, {"rest.alpha: must not have the opposite sign of beta at "});
  rest.beta = formula("log(y)");
  expect_faults(options, {"rest.beta: is not finite at 0 along the side"});
  rest.alpha = formula("sqrt(y)");
  rest.beta = formula("1");
  expect_faults(options, {"rest.alpha: has no finite derivative at 0 along the side"});
  rest.alpha = formula("max(y - 2, 0)");
  options.block.equation.eta = formula("0");
  expect_faults(options, {"equation.eta: is 0 everywhere, which leaves u undetermined"});
  rest.kind = SideKind::neumann;
  rest.beta = formula("1");
  expect_faults(options, {"belongs to kind robin"});
  rest.alpha = rest.beta = {};
  options.block.equation.eta = formula("0");
  expect_faults(options, {"equation.eta: is 0 everywhere"});
}

TEST(CollocationFaults, PiecesThatDoNotFit) {
  auto options = varying(16, 16);
  set_pieces(options, 0, {{"0.3", SideKind::dirichlet}, {"", SideKind::neumann}});
  expect_faults(options,
                {"x_min[0].to: lies between the mesh lines at 0.25 and 0.3125; pieces of a side begin and end"});
  set_pieces(options, 0, {{"0.25", SideKind::dirichlet}, {"0.75", SideKind::neumann}});
  expect_faults(options, {"x_min[1].to: leaves the side without a condition from there to 1"});
  options.block.sides.sides[0].further[0].from = formula("0.5");
  options.block.sides.sides[0].further[0].to = {};
  expect_faults(options, {"x_min[1].from: must be 0.25, where the piece before ends"});
  set_pieces(options, 0, {{"0.25", SideKind::dirichlet}, {"", SideKind::neumann}});
  options.block.sides.sides[0].further[0].data = collocation::SideDataChoice::gauss;
  expect_faults(options, {"x_min[1].data: gauss: needs sides in one piece"});
  set_pieces(options, 0, {{"0.25", SideKind::dirichlet}, {"", SideKind::dirichlet}});
  options.block.equation.f = options.block.sides.sides[4].value = options.block.sides.sides[0].value = formula("0");
  options.block.sides.sides[0].further[0].value = formula("y - y^2");
  expect_faults(options,
                {"sides.x_min: two pieces differ by 0.1875 at 0.25, where they meet; their values must agree"});
  options.block.sides.corners = collocation::CornerChoice::mean;
  expect_faults(options, {});
}

TEST(CollocationFaults, PeriodicSides) {
  auto options = periodic("xy", 16, 16);
  expect_faults(options, {});
  options.block.equation.eta = formula("0");
  expect_faults(options, {"equation.eta: is 0 everywhere, which leaves u undetermined where all four sides"});
  options = periodic("x", 16, 16);
  options.block.sides.sides[1].given = false;
  expect_faults(options, {"sides.x_min: kind periodic of x_min needs that of the opposite side, x_max, which is of "
                          "kind dirichlet"});
  options = periodic("x", 16, 16);
  options.block.sides.sides[1].alpha = options.block.sides.sides[1].value = formula("1");
  expect_faults(options, {"x_max.alpha: belongs to kind robin", "x_max.value: means nothing on a periodic side"});
  options = periodic("x", 16, 16);
  set_pieces(options, 1, {{"0.25", SideKind::dirichlet}, {"", SideKind::periodic}});
  expect_faults(options, {"x_max[1].kind: periodic is of whole sides, not of pieces",
                          "sides.x_min: kind periodic of x_min needs that of the opposite side"});
  options = periodic("x", 16, 16);
  options.verify = {};
  options.block.equation.f = formula("0");
  options.block.sides.sides[4].value = formula("x");
  expect_faults(options, {"sides.y_min: two pieces differ by 1 at 0, where they meet"});
  options = periodic("y", 16, 17);
  for (const Method method : {Method::closed_form, Method::pencil, Method::separable, Method::fd}) {
    options.block.solver.method = method;
    expect_faults(options, {"mg and schur take"});
  }
  options.block.solver.method = Method::schur;
  expect_faults(options, {});
  options = periodic("x", 17, 16);
  expect_faults(options, {});
  options.block.solver.method = Method::schur;
  expect_faults(options, {"schur: needs an even number of elements along x where x is periodic; mg takes odd ones"});
}

// What differs on the two sides of a periodic axis jumps there, which is told.
TEST(CollocationPlan, NamesWhatIsNotPeriodic) {
  auto options = periodic("x", 16, 16);
  const auto notes = [&] {
    ThrownFaults faults;
    std::string all;
    for (const std::string& note : collocation_family().plan(options, Shape{}, faults).notes) all += note + "\n";
    return all;
  };
  EXPECT_EQ(notes().find("is periodic"), std::string::npos) << notes();
  options.block.equation.a = formula("2+x");
  EXPECT_NE(notes().find("x is periodic, but values differ on x_min and x_max, where they jump: a, f\n"),
            std::string::npos)
      << notes();
}

// Where beta of both sides of a corner vanishes, its slopes decide; where it does not, nothing is refused.
TEST(CollocationFaults, CornersThatAreNotDetermined) {
  auto options = varying(16, 32);
  set_pieces(options, 1, {{"", SideKind::robin, "1+y^2", "exp(-y)"}});
  set_pieces(options, 3, {{"", SideKind::robin, "1+x^2", "exp(-x)"}});
  set_pieces(options, 0, {{"", SideKind::robin, "2", "4*y"}});
  const char* fault = "sides: in the corner of x_min and y_min beta of both is 0";
  for (const char* beta : {"1e-200*x", "1e-200*sin(x)", "1e-200*(x + 1e-12*x)"}) {
    SCOPED_TRACE(beta);
    set_pieces(options, 2, {{"", SideKind::robin, "2e-200", beta}});
    expect_faults(options, {fault});
  }
  for (const char* beta : {"1.001e-200*x", "0", "1e-200", "1e-200*x^2"}) {
    set_pieces(options, 2, {{"", SideKind::robin, "2e-200", beta}});
    expect_faults(options, {});
  }
  set_pieces(options, 2, {{"", SideKind::robin, "1e12*x", "1"}});  // u_n alone in the corner
  expect_faults(options, {});
  set_pieces(options, 2, {{"", SideKind::robin, "1e-200*(1 + x)", "-1e-200"}});
  expect_faults(options, {"y_min.alpha: must not have the opposite sign of beta at 0"});
}

TEST(CollocationFaults, MethodsThatCannotSolveTheProblemSayWhy) {
  auto options = varying(16, 16);
  options.block.solver.method = Method::closed_form;
  expect_faults(options, {"solver.method: closed_form: needs"});
  options.block.solver.method = Method::pencil;
  expect_faults(options, {"solver.method: pencil: needs"});
  options = automatic(us, 16, 16);
  set_pieces(options, 0, {{"0.25", SideKind::dirichlet}, {"", SideKind::neumann}});
  for (const Method method : {Method::closed_form, Method::pencil, Method::separable, Method::fd}) {
    options.block.solver.method = method;
    expect_faults(options, {"along each side; mg and schur take others"});
  }
  options = varying(66, 67);
  options.block.solver.method = Method::mg;
  expect_faults(options, {"a number of elements is odd"});
}

TEST(CollocationFaults, ValuesThatJumpInACorner) {
  auto options = varying(16, 16);
  options.block.equation.f = formula("0");
  options.block.sides.sides[4].value = formula("x");
  options.block.sides.sides[0].given = true;
  options.block.sides.sides[0].value = formula("1");
  expect_faults(options,
                {"two sides differ by 1 in the corner they share; their values must agree there, or corners: mean"});
  options.block.sides.corners = collocation::CornerChoice::mean;
  expect_faults(options, {});
  options.verify.values = {{2, 0.5, 1}};
  expect_faults(options, {"verify.values: has a point outside of the mesh"});
}

// All of several faults are found at once.
TEST(CollocationFaults, AreFoundInOnePass) {
  auto options = varying(16, 16);
  options.block.equation.c = formula("-1");
  options.block.sides.sides[4].alpha = formula("1");
  options.block.mesh.x.to = 0;
  options.verify.iterations = {3};
  expect_faults(options, {"mesh.x.to", "rest.alpha: belongs", "verify.iterations"});
}

}  // namespace
}  // namespace halocline::collocation
