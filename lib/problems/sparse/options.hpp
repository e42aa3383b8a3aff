// Keys of family sparse: where the matrix comes from, right side and start, solver, and what to verify.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lib/base/describe.hpp"
#include "lib/krylov/sum_messages.hpp"
#include "lib/problems/sparse/multigrid_options.hpp"
#include "lib/problems/sparse/reuse.hpp"
#include "lib/problems/sparse/sources/box/box_options.hpp"
#include "lib/problems/sparse/sources/elastic/elastic_options.hpp"
#include "lib/problems/sparse/sources/file/file_options.hpp"
#include "lib/problems/sparse/sources/row_numbers.hpp"
#include "lib/problems/sparse/sources/ventricle/ventricle_options.hpp"

namespace halocline::sparse {

// u, f and residual of all sources; k of boxes, part and the others of meshes.
constexpr std::array<const char*, 7> field_names{"u", "f", "residual", "k", "part", "fiber_angle", "sigma"};

struct MatrixOptions final : Options {
  bool has_box = false, has_ventricle = false, has_elastic_box = false, has_file = false;
  BoxOptions box;
  VentricleOptions ventricle;
  ElasticOptions elastic_box;
  FileOptions file;
  void describe(Describer& d) override;
};

enum class RhsWord { natural, ones, row_sums };
constexpr auto words_of(RhsWord) {
  return std::to_array<Word<RhsWord>>(
      {{"natural", RhsWord::natural}, {"ones", RhsWord::ones}, {"row_sums", RhsWord::row_sums}});
}

enum class StartWord { zero };
constexpr auto words_of(StartWord) { return std::to_array<Word<StartWord>>({{"zero", StartWord::zero}}); }

// Values of a vector in place of a word.
struct ValuesOptions final : Options {
  bool with_random = false;  // whether `random` is a key
  bool random_given = false;
  Index random = 0;
  Formula formula;
  VectorFileOptions file;
  void describe(Describer& d) override;
};

enum class Method { automatic, cg, fcg, gmres, bicgstab };
constexpr auto words_of(Method) {
  return std::to_array<Word<Method>>({{"auto", Method::automatic},
                                      {"cg", Method::cg},
                                      {"fcg", Method::fcg},
                                      {"gmres", Method::gmres},
                                      {"bicgstab", Method::bicgstab}});
}

enum class NullSpaceUse { automatic, none };
constexpr auto words_of(NullSpaceUse) {
  return std::to_array<Word<NullSpaceUse>>({{"auto", NullSpaceUse::automatic}, {"none", NullSpaceUse::none}});
}

struct SolverOptions final : Options {
  Method method = Method::automatic;
  double tolerance = 1e-8, absolute_tolerance = 0;
  Index max_iterations = 1000, restart = 30;
  NullSpaceUse null_space = NullSpaceUse::automatic;
  bool project_rhs = false;
  SumMessages sums = SumMessages::separate;
  void describe(Describer& d) override;
};

enum class Preconditioner { amg, jacobi, l1_jacobi, chebyshev, none };
constexpr auto words_of(Preconditioner) {
  return std::to_array<Word<Preconditioner>>({{"amg", Preconditioner::amg},
                                              {"jacobi", Preconditioner::jacobi},
                                              {"l1_jacobi", Preconditioner::l1_jacobi},
                                              {"chebyshev", Preconditioner::chebyshev},
                                              {"none", Preconditioner::none}});
}

enum class Storage { automatic, sell, crs, ell };
constexpr auto words_of(Storage) {
  return std::to_array<Word<Storage>>(
      {{"auto", Storage::automatic}, {"sell", Storage::sell}, {"crs", Storage::crs}, {"ell", Storage::ell}});
}

struct StorageOptions final : Options {
  Storage kind = Storage::automatic;
  Index sigma = 256;
  bool sigma_given = false;
  void describe(Describer& d) override;
};

enum class SequenceStart { previous, zero };
constexpr auto words_of(SequenceStart) {
  return std::to_array<Word<SequenceStart>>({{"previous", SequenceStart::previous}, {"zero", SequenceStart::zero}});
}

constexpr auto words_of(Reuse) {
  return std::to_array<Word<Reuse>>({{"auto", Reuse::automatic},
                                     {"pattern", Reuse::pattern},
                                     {"hierarchy", Reuse::hierarchy},
                                     {"none", Reuse::none}});
}

struct SequenceOptions final : Options {
  Index solves = 1;
  double step = 0;
  SequenceStart start = SequenceStart::previous;
  Reuse reuse = Reuse::automatic;
  bool start_given = false, reuse_given = false;
  void describe(Describer& d) override;
};

enum class ZeroRows { refuse, identity };
constexpr auto words_of(ZeroRows) {
  return std::to_array<Word<ZeroRows>>({{"refuse", ZeroRows::refuse}, {"identity", ZeroRows::identity}});
}

struct MeasureOptions final : Options {
  Index kernels = 0;  // 0: nothing is measured
  void describe(Describer& d) override;
};

// Unknowns of a node, node by node.
enum class Components { one = 1, two, three, four, five, six };
constexpr auto words_of(Components) {
  return std::to_array<Word<Components>>({{"1", Components::one},
                                          {"2", Components::two},
                                          {"3", Components::three},
                                          {"4", Components::four},
                                          {"5", Components::five},
                                          {"6", Components::six}});
}

struct BlockOptions final : Options {
  Definitions names;
  MatrixOptions matrix;
  std::optional<RhsWord> rhs = RhsWord::natural;
  ValuesOptions rhs_values;
  std::optional<StartWord> start = StartWord::zero;
  ValuesOptions start_values;
  RowOrder order = RowOrder::automatic;
  std::optional<Components> components = Components::one;
  VectorFileOptions components_file;
  SolverOptions solver;
  Preconditioner preconditioner = Preconditioner::amg;
  MultigridOptions amg;
  bool amg_given = false;
  Index degree = 4;  // of chebyshev
  StorageOptions storage;
  SequenceOptions sequence;
  ZeroRows zero_rows = ZeroRows::refuse;
  MeasureOptions measure;
  BlockOptions() { rhs_values.with_random = true; }
  void describe(Describer& d) override;
};

struct VerifyOptions final : Options {
  Formula exact;
  VectorFileOptions reference;
  bool has_reference = false;
  double max_error = 0, rms_error = 0, residual = 0;  // 0: not checked
  std::vector<double> iterations;                     // low, high
  std::vector<double> operator_complexity;            // the same
  Index unknowns = 0, entries = 0;                    // 0: not checked
  void describe(Describer& d) override;
};

struct SparseOptions final : Options {
  BlockOptions block;
  VerifyOptions verify;
  void describe(Describer& d) override;
  void refine(int factor) override;
};

}  // namespace halocline::sparse
