// BoomerAMG as preconditioner of CG: PMIS, extended+i interpolation of at most four entries, three smoothers; and the
// library's defaults.
#include <HYPRE.h>
#include <HYPRE_IJ_mv.h>
#include <HYPRE_krylov.h>
#include <HYPRE_parcsr_ls.h>

#include "tests/bench/other_solvers.hpp"

namespace halocline {
namespace {

struct Setting {
  const char* name;
  int smoother;  // 0: defaults of everything
  double theta;
};
constexpr Setting settings[] = {{"hypre PMIS, ext+i, l1-Jacobi", 18, 0.25},
                                {"hypre PMIS, ext+i, l1-Gauss-Seidel", 8, 0.25},
                                {"hypre defaults (HMIS, ext+i, hybrid Gauss-Seidel)", 0, 0.25}};

HYPRE_Solver make_multigrid(const Setting& setting) {
  HYPRE_Solver amg = nullptr;
  HYPRE_BoomerAMGCreate(&amg);
  HYPRE_BoomerAMGSetTol(amg, 0);
  HYPRE_BoomerAMGSetMaxIter(amg, 1);
  HYPRE_BoomerAMGSetStrongThreshold(amg, setting.theta);
  if (setting.smoother == 0) return amg;
  HYPRE_BoomerAMGSetCoarsenType(amg, 8);
  HYPRE_BoomerAMGSetInterpType(amg, 6);
  HYPRE_BoomerAMGSetPMaxElmts(amg, 4);
  HYPRE_BoomerAMGSetRelaxType(amg, setting.smoother);
  return amg;
}

HYPRE_IJVector make_vector(MPI_Comm comm, const std::vector<HYPRE_BigInt>& rows, const double* values) {
  HYPRE_IJVector vector = nullptr;
  HYPRE_IJVectorCreate(comm, rows.front(), rows.back(), &vector);
  HYPRE_IJVectorSetObjectType(vector, HYPRE_PARCSR);
  HYPRE_IJVectorInitialize(vector);
  const std::vector<double> zero(rows.size(), 0.0);
  HYPRE_IJVectorSetValues(vector, static_cast<HYPRE_Int>(rows.size()), rows.data(),
                          values != nullptr ? values : zero.data());
  HYPRE_IJVectorAssemble(vector);
  return vector;
}

template <class Object, class Handle>
Object object_of(Handle handle, HYPRE_Int (*get)(Handle, void**)) {
  void* object = nullptr;
  get(handle, &object);
  return static_cast<Object>(object);
}

HYPRE_IJMatrix make_matrix(MPI_Comm comm, const PlainSystem& system, const std::vector<HYPRE_BigInt>& rows) {
  std::vector<HYPRE_Int> lengths;
  for (std::size_t i = 0; i < rows.size(); ++i)
    lengths.push_back(static_cast<HYPRE_Int>(system.ptr[i + 1] - system.ptr[i]));
  const std::vector<HYPRE_BigInt> columns(system.col.begin(), system.col.end());
  HYPRE_IJMatrix matrix = nullptr;
  HYPRE_IJMatrixCreate(comm, rows.front(), rows.back(), rows.front(), rows.back(), &matrix);
  HYPRE_IJMatrixSetObjectType(matrix, HYPRE_PARCSR);
  HYPRE_IJMatrixSetRowSizes(matrix, lengths.data());
  HYPRE_IJMatrixInitialize(matrix);
  HYPRE_IJMatrixSetValues(matrix, static_cast<HYPRE_Int>(rows.size()), lengths.data(), rows.data(), columns.data(),
                          system.val.data());
  HYPRE_IJMatrixAssemble(matrix);
  return matrix;
}

}  // namespace

void run_hypre(MPI_Comm comm, const PlainSystem& system, std::span<const double> tolerances, const Timed& timed,
               std::vector<OtherTimes>& times) {
  HYPRE_Init();
  std::vector<HYPRE_BigInt> rows;
  for (std::size_t i = 0; i < system.rhs.size(); ++i)
    rows.push_back(static_cast<HYPRE_BigInt>(system.first + static_cast<std::int64_t>(i)));
  const HYPRE_IJMatrix matrix = make_matrix(comm, system, rows);
  const HYPRE_IJVector b = make_vector(comm, rows, system.rhs.data()), x = make_vector(comm, rows, nullptr);
  const auto A = object_of<HYPRE_ParCSRMatrix>(matrix, HYPRE_IJMatrixGetObject);
  const auto f = object_of<HYPRE_ParVector>(b, HYPRE_IJVectorGetObject);
  const auto u = object_of<HYPRE_ParVector>(x, HYPRE_IJVectorGetObject);
  times.resize(std::size(settings));
  for (std::size_t s = 0; s < std::size(settings); ++s) {
    OtherTimes& best = times[s];
    best.setting = settings[s].name;
    best.solve.resize(tolerances.size(), 1e300);
    best.iterations.resize(tolerances.size());
    const HYPRE_Solver amg = make_multigrid(settings[s]);
    best.set_up = std::min(best.set_up, timed([&] { HYPRE_BoomerAMGSetup(amg, A, f, u); }));
    for (std::size_t t = 0; t < tolerances.size(); ++t) {
      HYPRE_Solver cg = nullptr;
      HYPRE_ParCSRPCGCreate(comm, &cg);
      HYPRE_PCGSetMaxIter(cg, 500);
      HYPRE_PCGSetTol(cg, tolerances[t]);
      HYPRE_PCGSetTwoNorm(cg, 1);
      // The preconditioner is there already: its set-up is not called once more.
      const auto nothing = [](HYPRE_Solver, HYPRE_Matrix, HYPRE_Vector, HYPRE_Vector) -> HYPRE_Int { return 0; };
      HYPRE_PCGSetPrecond(cg, reinterpret_cast<HYPRE_PtrToSolverFcn>(HYPRE_BoomerAMGSolve), nothing, amg);
      HYPRE_ParVectorSetConstantValues(u, 0);
      HYPRE_ParCSRPCGSetup(cg, A, f, u);
      best.solve[t] = std::min(best.solve[t], timed([&] { HYPRE_ParCSRPCGSolve(cg, A, f, u); }));
      HYPRE_Int iterations = 0, converged = 0;
      HYPRE_PCGGetNumIterations(cg, &iterations);
      HYPRE_PCGGetConverged(cg, &converged);
      best.iterations[t] = converged != 0 ? iterations : -1;
      HYPRE_ParCSRPCGDestroy(cg);
    }
    HYPRE_BoomerAMGDestroy(amg);
    HYPRE_ClearAllErrors();
  }
  HYPRE_IJMatrixDestroy(matrix);
  HYPRE_IJVectorDestroy(b);
  HYPRE_IJVectorDestroy(x);
  HYPRE_Finalize();
}

}  // namespace halocline
