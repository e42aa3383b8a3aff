// Writes three steps of every kind of grid and mesh for check_paraview.py: write_samples DIRECTORY. Runs on any number
// of ranks.
#include <mpi.h>

#include <filesystem>
#include <string>

#include "io/output/result_writer.hpp"
#include "mesh_support.hpp"

namespace halocline {
namespace {

enum class Values { points, cells, both };

void write(const Communicator& comm, const std::string& directory, const Grid& grid, const Layout& layout,
           Values values, Geometry geometry = Geometry::automatic) {
  if (comm.rank() == 0) std::filesystem::create_directories(directory);
  comm.barrier();
  const std::vector<ExecutorPtr> executors{make_omp_executor(1), make_emulated_executor(1, false)};
  ResultWriter writer(comm, directory, {}, {{"version", "0"}, {"deck", "problem: sample\n"}}, {geometry});
  for (const double t : {0.0, 0.5, 1.5}) {
    writer.begin_step(t);
    writer.grid(grid);
    if (values != Values::cells) publish_sample(writer, comm, executors, layout, {"u", "K"}, grid, t);
    if (values != Values::points)
      publish_sample(writer, comm, executors, layout, {"c", "mol/m^3", Centring::cell}, grid, t);
    writer.end_step();
  }
}

void write_mesh(const Communicator& comm, const std::string& directory, CellKind kind) {
  if (comm.rank() == 0) std::filesystem::create_directories(directory);
  comm.barrier();
  const std::vector<ExecutorPtr> executors{make_omp_executor(1), make_emulated_executor(1, false)};
  ResultWriter writer(comm, directory, {}, {{"version", "0"}});
  for (const double t : {0.0, 0.5, 1.5}) {
    writer.begin_step(t);
    publish_mesh(writer, comm, executors, {{4, 3, 2}, kind}, t);
    writer.end_step();
  }
}

// The grids of check_paraview.py.
void write_all(const std::string& directory) {
  const Communicator comm(MPI_COMM_WORLD);
  const auto x = nodes(0.125, 0.25, 13), y = nodes(-1, 0.5, 9), z = nodes(2, 0.125, 15);
  const auto stretched = nodes(0.1, 0.1, 14, 1.3);
  const std::vector<double> none{0};
  write(comm, directory + "/plane", {{x, y, none}, "m"}, {0, 2}, Values::both);
  write(comm, directory + "/upright_plane", {{x, none, z}, "m"}, {2, 2}, Values::both);
  write(comm, directory + "/graded_plane", {{stretched, y, none}, "m"}, {0, 2}, Values::both);
  write(comm, directory + "/line", {{x, none, none}, "m"}, {0, 1}, Values::both);
  write(comm, directory + "/image", {{x, y, z}, "m"}, {2, 2, AxisOrder::x_fastest}, Values::points);
  write(comm, directory + "/image_with_cells", {{x, y, z}, "m"}, {1, 2}, Values::both);
  write(comm, directory + "/graded_box", {{x, stretched, z}, "m"}, {0, 2}, Values::both);
  write(comm, directory + "/cells_of_plane", {{x, y, none}, "m"}, {0, 2}, Values::cells);
  write(comm, directory + "/cells_of_upright_plane", {{x, {0.75}, z}, "m"}, {2, 2}, Values::cells);
  write(comm, directory + "/explicit_cells", {{x, y, none}, "m"}, {0, 2}, Values::cells, Geometry::spelled_out);
  write(comm, directory + "/index_of_plane", {{x, y, none}, "m"}, {0, 2}, Values::both, Geometry::index);
  write(comm, directory + "/index_of_box", {{x, stretched, z}, "m"}, {0, 2}, Values::both, Geometry::index);
  write_mesh(comm, directory + "/tetrahedra", CellKind::tetrahedron);
  write_mesh(comm, directory + "/hexahedra", CellKind::hexahedron);
}

}  // namespace
}  // namespace halocline

int main(int argc, char** argv) {
  int provided = 0;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &provided);
  halocline::write_all(argc > 1 ? argv[1] : "samples");
  MPI_Finalize();
}
