// Images: pictures of a field while the run goes on (`output.images` of a deck).
//
// A sink for Problem::publish: every part reduces its share of the plane to pixels on its device, the pixels are added
// over parts and ranks as integers, and a thread of rank 0 makes and writes the file (io/image/image.hpp). Costs a pass
// over the plane on the device, and a message of 8 bytes per pixel.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/run/run_options.hpp"
#include "app/run/sampling_kernels.hpp"
#include "io/image/image.hpp"
#include "lib/base/array.hpp"
#include "lib/problems/problem.hpp"

namespace halocline {

// Cells (or points) of an axis for every pixel along it: those whose center lies in the pixel, or the one that holds
// the pixel's middle. `nodes`: coordinates of the axis; `point`: values at the nodes, else between them.
std::vector<PixelCells> pixel_cells(const std::vector<double>& nodes, bool point, Index pixels);

class Images final : public FieldSink {
 public:
  // `directory`: for the files, made with the first picture. All that is given outlives this.
  Images(const Context& context, const ImageOptions& options, std::string directory);

  // Makes a picture of the problem at time `t`. Collective. DeckError when the problem does not publish the field on a
  // grid.
  void take(const Problem& problem, double t);
  // Waits for the files. What could not be written is told once, by a warning.
  void finish();
  Index taken() const { return taken_; }
  void resume(Index taken) { taken_ = taken; }

  bool wants(const std::string& field) const override { return field == field_; }
  void grid(const Grid& grid) override { grid_ = grid; }
  void field(const FieldInfo& info, int part, const Range<3>& block, View<const double, 3> values,
             const Executor& executor) override;
  void column(const FieldInfo&, int, const Range<1>&, View<const double, 1>, const Executor&) override {}
  void column(const FieldInfo&, int, const Range<1>&, View<const Index, 1>, const Executor&) override {}
  void series(const std::string&, const std::string&, std::span<const double>) override {}

 private:
  // Pixels of one part on their way to the host.
  struct Share {
    Array<PixelCells, 1> columns, rows;
    Array<Index, 2> sums;
    Index first_row;
  };
  void choose_plane(const FieldInfo& info);
  void measure(const PlaneWindow& plane, const Range<2>& box, const Executor& executor);
  void paint(const PlaneWindow& plane, const Range<2>& box, const Executor& executor, const ExecutorPtr& memory);
  void publish_to(const Problem& problem);
  void join_range();
  std::vector<Index> join_pixels();
  Image image_of(const std::vector<Index>& sums) const;
  void tell_failure();

  Context context_;
  const ImageOptions& options_;
  std::string field_, directory_;
  ExecutorPtr host_ = make_omp_executor(1);
  Index taken_ = 0;
  std::optional<ImageWriter> writer_;  // on rank 0, with the first picture

  bool measuring_ = false, seen_ = false;
  Grid grid_;                               // of the publish under way
  std::vector<std::vector<double>> nodes_;  // of the pixels below
  std::array<int, 3> axes_{0, 1, 2};        // to the right, upwards, through the plane
  Index depth_ = 0;
  std::vector<PixelCells> columns_, rows_;  // rows from the top
  double low_ = 0, high_ = 0;
  std::vector<Share> shares_;
};

}  // namespace halocline
