#include "lib/problems/sparse/sources/elastic/elastic_box.hpp"

#include "lib/problems/sparse/sources/counted_rows.hpp"

namespace halocline::sparse {

namespace {

class ElasticPart final : public PartRows {
 public:
  ElasticPart(ExecutorPtr executor, const ElasticModel& model, const Range<1>& own)
      : executor_(std::move(executor)), model_(model), own_(own) {}

  GlobalRows matrix() const override {
    const ElasticLayout& l = model_.layout;
    const Index rows = own_.extent(0);
    const auto values = cube_matrix(model_.young, model_.poisson);
    const auto cube = make_array(executor_, std::vector<double>(values.begin(), values.end()));
    GlobalRows made = make_counted_rows(executor_, "elastic pointers", own_, ElasticEntries{l});
    launch(*executor_, {"elastic rows", 16.0 * static_cast<double>(made.col.size())}, Range<1>{{0}, {rows}},
           ElasticRowsBody{l, own_.lo[0], cube.view().data, made.ptr.view(), made.col.view(), made.val.view()});
    return made;
  }

  Array<double, 1> rhs() const override {
    Array<double, 1> made(executor_, {own_.extent(0)});
    launch(*executor_, {"elastic right side", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {made.size()}},
           ElasticRhsBody{model_.layout, own_.lo[0], made.view()});
    return made;
  }

 private:
  ExecutorPtr executor_;
  ElasticModel model_;
  Range<1> own_;
};

}  // namespace

std::unique_ptr<PartRows> ElasticBoxSource::part(const ExecutorPtr& executor, const Range<1>& own, double) const {
  return std::make_unique<ElasticPart>(executor, model_, own);
}

std::array<Array<double, 1>, rigid_body_modes> rigid_body(const ExecutorPtr& executor, const ElasticLayout& layout,
                                                          const Range<1>& own) {
  std::array<Array<double, 1>, rigid_body_modes> made;
  for (int mode = 0; mode < rigid_body_modes; ++mode) {
    Array<double, 1>& values = made[static_cast<std::size_t>(mode)];
    values = Array<double, 1>(executor, {own.extent(0)});
    launch(*executor, {"rigid body mode", 8.0 * static_cast<double>(values.size())}, Range<1>{{0}, {values.size()}},
           RigidBodyBody{layout, own.lo[0], mode, values.view()});
  }
  return made;
}

}  // namespace halocline::sparse
