#include "lib/problems/sparse/sources/box/box.hpp"

#include "lib/problems/sparse/sources/box/box_faults.hpp"
#include "lib/problems/sparse/sources/box/box_terms.hpp"
#include "lib/problems/sparse/sources/counted_rows.hpp"

namespace halocline::sparse {

namespace {

double bytes_of(Index rows, Index entries) { return 8.0 * static_cast<double>(rows + 2 * entries); }

class HpcgPart final : public PartRows {
 public:
  HpcgPart(ExecutorPtr executor, const BoxLayout& layout, const Range<1>& own)
      : executor_(std::move(executor)), layout_(layout), own_(own) {}

  GlobalRows matrix() const override {
    const Index rows = own_.extent(0);
    GlobalRows made = layout_.bisected ? make_added_rows(executor_, "box pointers", own_, FullEntriesOfRow{layout_})
                                       : make_counted_rows(executor_, "box pointers", own_, FullEntries{layout_});
    launch(*executor_, {"box rows", bytes_of(rows, made.col.size())}, Range<1>{{0}, {rows}},
           HpcgRowsBody{layout_, own_.lo[0], made.ptr.view(), made.col.view(), made.val.view()});
    return made;
  }

  Array<double, 1> rhs() const override {
    Array<double, 1> made(executor_, {own_.extent(0)});
    launch(*executor_, {"box right side", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {made.size()}},
           HpcgRhsBody{layout_, own_.lo[0], made.view()});
    return made;
  }

 private:
  ExecutorPtr executor_;
  BoxLayout layout_;
  Range<1> own_;
};

class BoxPart final : public PartRows {
 public:
  BoxPart(ExecutorPtr executor, const BoxModel& model, const Range<1>& own, double t, FormulaPath path)
      : executor_(std::move(executor)),
        model_(model),
        own_(own),
        terms_(evaluate_terms(executor_, model_, own, t, path)) {}

  RowFault fault() const override {
    const Index none = model_.layout.rows();
    const Index row = reduce(*executor_, "box faults", own_, none, Lower{}, FaultyRowBody{terms_.terms, none});
    if (row == none) return {};
    return {row, text_of(row)};
  }

  GlobalRows matrix() const override {
    const Index rows = own_.extent(0);
    const BoxLayout& layout = model_.layout;
    GlobalRows made = layout.bisected ? make_added_rows(executor_, "box pointers", own_, StarEntriesOfRow{layout})
                                      : make_counted_rows(executor_, "box pointers", own_, StarEntries{layout});
    launch(*executor_, {"box rows", bytes_of(rows, made.col.size())}, Range<1>{{0}, {rows}},
           StarRowsBody{terms_.terms, own_.lo[0], made.ptr.view(), made.col.view(), made.val.view()});
    return made;
  }

  Array<double, 1> rhs() const override {
    Array<double, 1> made(executor_, {own_.extent(0)});
    launch(*executor_, {"box right side", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {made.size()}},
           BoxRhsBody{terms_.terms, own_.lo[0], made.view()});
    return made;
  }

 private:
  // The message of the fault of a row.
  std::string text_of(Index row) const {
    Array<FaultOfRow, 1> found(executor_, {1});
    launch(*executor_, "fault of a row", Range<1>{{0}, {1}}, TellFaultBody{terms_.terms, row, found.view()});
    const FaultOfRow fault = found.to_host().front();
    return fault_text(model_, fault.fault, fault.axis, fault.side, row);
  }

  ExecutorPtr executor_;
  BoxModel model_;
  Range<1> own_;
  BoxPartTerms terms_;
};

}  // namespace

RowNumbers BoxSource::row_numbers() const {
  if (!model_.layout.bisected) return {};
  return {[layout = model_.layout](Index row) { return layout.from_natural(row); },
          [layout = model_.layout](Index row) { return layout.natural(row); }};
}

std::unique_ptr<PartRows> BoxSource::part(const ExecutorPtr& executor, const Range<1>& own, double t) const {
  if (model_.stencil == Stencil::hpcg) return std::make_unique<HpcgPart>(executor, model_.layout, own);
  return std::make_unique<BoxPart>(executor, model_, own, t, path_);
}

}  // namespace halocline::sparse
