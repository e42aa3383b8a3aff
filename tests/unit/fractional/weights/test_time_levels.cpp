// Meshes of levels against their formulas, inverses of psi, and psi that must be refused.
#include "lib/problems/fractional/weights/levels.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "lib/expression/scope.hpp"

namespace halocline::fractional {
namespace {

TimeChange formula(const std::string& text) {
  const char* const names[] = {"x", "t"};
  const Scope scope(names);
  return time_change(scope.parse(Formula{text, {}}), 1, 2);
}

MeshOptions mesh_options(Mesh mesh, double end, Index steps, double grading = 1, Index start_steps = 64) {
  return {mesh, end, steps, grading, start_steps};
}

TEST(Levels, UniformInTime) {
  const Levels levels(mesh_options(Mesh::uniform_t, 2, 10), formula("t^2"));
  for (Index l = 0; l <= 10; ++l) {
    EXPECT_DOUBLE_EQ(levels.t(l), 0.2 * static_cast<double>(l));
    EXPECT_DOUBLE_EQ(levels.s(l), levels.t(l) * levels.t(l));
  }
  EXPECT_EQ(levels.s(10), 4);
  EXPECT_EQ(levels.step(3), levels.s(3) - levels.s(2));
  EXPECT_EQ(levels.span(2, 5), levels.s(5) - levels.s(2));
  EXPECT_DOUBLE_EQ(levels.reach(2, 5, 0.25), 0.25 * levels.s(4) + 0.75 * levels.s(5) - levels.s(2));
}

// Where psi is proportional to t, steps are equal to the last bit.
TEST(Levels, EqualStepsAreExact) {
  for (const char* psi : {"t", "3*t", "t/7"}) {
    const Levels levels(mesh_options(Mesh::uniform_t, 0.7, 1000), formula(psi));
    for (Index l = 1; l <= 1000; ++l) {
      EXPECT_EQ(levels.step(l), levels.step(1));
      EXPECT_EQ(levels.span(l - 1, l), levels.step(1));
    }
    EXPECT_EQ(levels.span(10, 110), 100 * levels.step(1));
  }
  const Levels bent(mesh_options(Mesh::uniform_t, 0.7, 1000), formula("t + 1e-10*t^2"));
  EXPECT_NE(bent.step(1000), bent.step(1));
}

TEST(Levels, InversesOfPsi) {
  for (const char* psi : {"t^0.3", "t", "log(1 + 10*t)", "exp(t) - 1", "t^3", "t + sin(3*t)/4"}) {
    const TimeChange change = formula(psi);
    for (const TimeChange& of : {change, TimeChange{change.value, {}}}) {
      const Levels levels(mesh_options(Mesh::uniform_psi, 1.5, 50), of);
      EXPECT_EQ(levels.t(50), 1.5);
      for (Index l = 1; l < 50; ++l) {
        EXPECT_NEAR(levels.s(l), levels.s(50) * static_cast<double>(l) / 50, 1e-15 * levels.s(50)) << psi;
        EXPECT_NEAR(change.value(levels.t(l)) / levels.s(l), 1, 3e-15) << psi << " " << l;
      }
    }
  }
  // Far below the end, relative to the time itself.
  const Levels levels(mesh_options(Mesh::graded, 1, 1000, 8), formula("t^0.3"));
  EXPECT_NEAR(levels.t(1) / std::pow(1000.0, -8 / 0.3), 1, 1e-13);
}

TEST(Levels, Graded) {
  const Levels levels(mesh_options(Mesh::graded, 2, 16, 2.5), formula("t^0.5"));
  for (Index l = 0; l <= 16; ++l)
    EXPECT_NEAR(levels.s(l), std::sqrt(2.0) * std::pow(static_cast<double>(l) / 16, 2.5), 1e-15);
}

TEST(Levels, GradedStartMeetsEqualSteps) {
  const double r = 3;
  const Levels levels(mesh_options(Mesh::graded_start, 4, 1000, r, 40), formula("t"));
  const double start = 4 * 40.0 / (r * 960 + 40);
  EXPECT_NEAR(levels.s(40), start, 1e-15);
  EXPECT_NEAR(levels.s(10), start * std::pow(0.25, r), 1e-16);
  // The power law's slope at its end is the equal step.
  EXPECT_NEAR(levels.step(41), start * r / 40, 1e-15);
  for (Index l = 41; l <= 1000; ++l) EXPECT_EQ(levels.step(l), levels.step(41));
  EXPECT_EQ(levels.s(1000), 4);
  EXPECT_NEAR(levels.span(20, 60), levels.s(60) - levels.s(20), 1e-15);
  // Graded from end to end where the start takes all steps.
  const Levels all(mesh_options(Mesh::graded_start, 4, 30, r, 40), formula("t"));
  EXPECT_DOUBLE_EQ(all.s(15), 0.5);
}

TEST(Levels, PlacesBetweenLevels) {
  const Levels levels(mesh_options(Mesh::uniform_t, 1, 10), formula("t^2"));
  EXPECT_NEAR(levels.time_within(5, 0.25), std::sqrt(0.25 * 0.16 + 0.75 * 0.25), 1e-15);
  EXPECT_EQ(levels.time_within(5, 0), levels.t(5));
  EXPECT_NEAR(levels.fraction_within(5, 0.45), (0.45 * 0.45 - 0.16) / 0.09, 1e-14);
  EXPECT_EQ(levels.fraction_within(5, levels.t(5)), 1);
}

Index fault_level(Mesh mesh, const TimeChange& psi) {
  try {
    const Levels levels(mesh_options(mesh, 1, 10, 2, 4), psi);
  } catch (const LevelFault& fault) {
    EXPECT_EQ(fault.code(), ExitCode::deck);
    EXPECT_NE(std::string(fault.what()).find("psi"), std::string::npos);
    return fault.level;
  }
  return -1;
}

TEST(Levels, RefusePsi) {
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("t + 1")), 0);
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("-t")), 10);
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("log(1 - t)")), 10);
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("t*(1 - 0.9*step(t - 0.55))")), 6);
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("t + sqrt(t - 0.35) - sqrt(t - 0.35)")), 0);
  const TimeChange staircase{[](double t) { return std::floor(4 * t); }, {}};
  EXPECT_EQ(fault_level(Mesh::uniform_t, staircase), 1);
  for (const Mesh mesh : {Mesh::uniform_psi, Mesh::graded, Mesh::graded_start})
    EXPECT_GT(fault_level(mesh, staircase), 0);
  EXPECT_EQ(fault_level(Mesh::uniform_t, formula("t")), -1);
}

// Inverses give levels that increase also where psi does not.
TEST(Levels, RefusePsiThatFallsOrStaysOnAnyMesh) {
  for (const Mesh mesh : {Mesh::uniform_t, Mesh::uniform_psi, Mesh::graded, Mesh::graded_start}) {
    EXPECT_GT(fault_level(mesh, formula("t + 0.4*sin(20*t)")), 0);
    EXPECT_GT(fault_level(mesh, formula("if(t < 0.5, t, 0.5)")), 0);
    EXPECT_GT(fault_level(mesh, formula("t + 0.01*sin(200*t)")), 0);
    EXPECT_EQ(fault_level(mesh, formula("t + 0.01*sin(50*t)")), -1);
    try {
      const Levels levels(mesh_options(mesh, 2, 100, 2, 4), formula("if(t < 1, t, 2 - t + 0.5*max(0, t - 1.5)^2*16)"));
      ADD_FAILURE() << "accepted";
    } catch (const LevelFault& fault) {
      EXPECT_STREQ(fault.what(), "psi does not increase: it is 1 at t = 1 and 0.9995117188 at t = 1.000488");
    }
  }
}

TEST(Levels, RefuseLengthsThatWeightsDoNotHold) {
  for (const Mesh mesh : {Mesh::uniform_t, Mesh::uniform_psi, Mesh::graded, Mesh::graded_start}) {
    EXPECT_GT(fault_level(mesh, formula("1e-300*t")), 0);
    EXPECT_GT(fault_level(mesh, formula("1e300*t")), 0);
    EXPECT_EQ(fault_level(mesh, formula("1e-95*t")), -1);
    EXPECT_EQ(fault_level(mesh, formula("1e99*t")), -1);
  }
}

TEST(Levels, DefaultGrading) {
  EXPECT_DOUBLE_EQ(default_grading(Scheme::alikhanov, 0.5), 4);
  EXPECT_DOUBLE_EQ(default_grading(Scheme::l1, 0.5), 3);
  EXPECT_EQ(default_grading(Scheme::alikhanov, 0.1), 8);
  EXPECT_EQ(default_grading(Scheme::alikhanov, 1), 1);
}

}  // namespace
}  // namespace halocline::fractional
