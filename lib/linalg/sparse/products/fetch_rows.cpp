#include "lib/linalg/sparse/products/fetch_rows.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "gpu/launch.hpp"
#include "lib/base/error.hpp"
#include "lib/base/index_range.hpp"
#include "lib/linalg/sparse/products/fetch_kernels.hpp"

namespace halocline::sparse {
namespace {

// What one part sends, one link after the other.
struct Sent {
  std::vector<Index> lengths;                        // of rows
  std::vector<Index> entries;                        // where they stand
  std::vector<Index> entries_of_link, rows_of_link;  // how many
};

Sent list_sent(const ExecutorPtr& executor, const CrsView<double>& b, const std::vector<Link>& links) {
  Sent sent;
  std::vector<Index> rows;
  for (const Link& link : links) rows.insert(rows.end(), link.send.list.begin(), link.send.list.end());
  const Array<Index, 1> list = make_array(executor, rows);
  Array<Index, 1> bounds(executor, {2 * list.size()});
  launch(*executor, "bounds of rows", up_to(list.size()), ListedRowBody{b.ptr.data, list.view(), bounds.view()});
  const std::vector<Index> bound = bounds.to_host();
  std::size_t at = 0;
  for (const Link& link : links) {
    const std::size_t before = sent.entries.size();
    for (std::size_t n = 0; n < link.send.list.size(); ++n, at += 2) {
      sent.lengths.push_back(bound[at + 1] - bound[at]);
      for (Index e = bound[at]; e < bound[at + 1]; ++e) sent.entries.push_back(e);
    }
    sent.rows_of_link.push_back(static_cast<Index>(link.send.list.size()));
    sent.entries_of_link.push_back(static_cast<Index>(sent.entries.size() - before));
  }
  return sent;
}

// Links like these, whose stretches lie one after the other on both sides.
std::vector<Link> packed(const std::vector<Link>& like, const std::vector<Index>& sends,
                         const std::vector<Index>& receives) {
  std::vector<Link> links;
  Index send = 0, recv = 0;
  for (std::size_t l = 0; l < like.size(); ++l) {
    if (sends[l] > 0 || receives[l] > 0)
      links.push_back({like[l].part, IndexSet::run(send, sends[l]), IndexSet::run(recv, receives[l])});
    send += sends[l];
    recv += receives[l];
  }
  return links;
}

// What comes along packed links, for every part; `sizes`: how much.
std::vector<Array<Index, 1>> exchange(const RowSpace& rows, const Links& links,
                                      const std::vector<Array<Index, 1>>& from, const std::vector<Index>& sizes) {
  std::vector<Array<Index, 1>> to;
  std::vector<View<const Index, 1>> out;
  std::vector<View<Index, 1>> in;
  for (int p = 0; p < rows.team().parts(); ++p) {
    to.emplace_back(rows.team().executor(p), std::array<Index, 1>{sizes[p]});
    out.push_back(from[p].view());
    in.push_back(to.back().view());
  }
  Halo<Index> halo(rows.comm(), rows.team(), links);
  halo.start(out);
  halo.finish(in);
  for (int p = 0; p < rows.team().parts(); ++p) rows.team().executor(p)->synchronize();
  return to;
}

std::vector<Index> received_rows(const std::vector<Link>& links) {
  std::vector<Index> counts;
  for (const Link& link : links) counts.push_back(link.recv.size());
  return counts;
}

// Whether nothing travels.
bool stays_alone(const DistCrs& b) { return b.team().total_parts() == 1 || b.rows().replicated(); }

Index total(const std::vector<Index>& counts) { return std::accumulate(counts.begin(), counts.end(), Index{0}); }

// How many entries come by every link, from the lengths of the rows.
std::vector<Index> received_entries(const std::vector<Link>& links, const std::vector<Index>& lengths) {
  std::vector<Index> counts;
  auto length = lengths.begin();
  for (const Link& link : links) {
    counts.push_back(std::accumulate(length, length + link.recv.size(), Index{0}));
    length += link.recv.size();
  }
  return counts;
}

// As packed links, but sends what stands in rows.
std::vector<Link> from_rows(std::vector<Link> links, const Sent& sent) {
  for (Link& link : links) {
    const auto first = sent.entries.begin() + link.send.offset, end = first + link.send.size();
    link.send = {};  // no place of the packed ones may remain, not even of a stretch without entries
    link.send.list.assign(first, end);
  }
  return links;
}

}  // namespace

RowFetch::RowFetch(const DistCrs& b, const std::vector<std::vector<Index>>& needed)
    : parts_(static_cast<std::size_t>(b.team().parts())) {
  const Team& team = b.team();
  require(static_cast<int>(needed.size()) == team.parts(), "RowFetch: a list for every part");
  const bool alone = stays_alone(b);
  const std::vector<Index> own(parts_.size(), 0);
  fetch(b, needed, alone ? Links(parts_.size()) : row_links(b.rows().comm(), team, b.rows().partition(), needed, own),
        alone);
}

RowFetch::RowFetch(const DistCrs& b, const DistCrs& a) : parts_(static_cast<std::size_t>(b.team().parts())) {
  const bool alone = stays_alone(b);
  std::vector<Index> to_rows;  // from places of columns to those of rows
  for (int p = 0; p < a.team().parts(); ++p) to_rows.push_back(-a.ghosts(p).below);
  fetch(b, ghost_rows(a), alone ? Links(parts_.size()) : a.ghost_links(to_rows), alone);
}

void RowFetch::fetch(const DistCrs& b, const std::vector<std::vector<Index>>& needed, const Links& links, bool alone) {
  const Team& team = b.team();
  std::vector<Sent> sent(parts_.size());
  std::vector<Array<Index, 1>> lengths, columns;
  std::vector<Index> rows_in(parts_.size()), entries_in(parts_.size());
  Links row_links(parts_.size()), entry_links(parts_.size()), value_links(parts_.size());
  for (int p = 0; p < team.parts(); ++p) {
    sent[p] = list_sent(team.executor(p), b.view(p), links[p]);
    row_links[p] = packed(links[p], sent[p].rows_of_link, received_rows(links[p]));
    rows_in[p] = static_cast<Index>(needed[p].size());
    lengths.push_back(make_array(team.executor(p), sent[p].lengths));
  }
  if (!alone) lengths = exchange(b.rows(), row_links, lengths, rows_in);
  for (int p = 0; p < team.parts(); ++p) {
    const ExecutorPtr& executor = team.executor(p);
    const std::vector<Index> received = lengths[p].to_host();
    const std::vector<Index> counts = received_entries(links[p], received);
    entry_links[p] = packed(links[p], sent[p].entries_of_link, counts);
    value_links[p] = from_rows(entry_links[p], sent[p]);
    entries_in[p] = total(counts);
    std::vector<Index> ptr{0};
    for (const Index length : received) ptr.push_back(ptr.back() + length);
    parts_[p].rows.ptr = make_array(executor, ptr);
    parts_[p].rows.val = Array<double, 1>(executor, {entries_in[p]});

    const Array<Index, 1> entries = make_array(executor, sent[p].entries);
    const GlobalNumbers global = global_numbers(executor, b.columns().own(p), b.ghosts(p));
    columns.emplace_back(executor, std::array<Index, 1>{entries.size()});
    launch(*executor, "columns of fetched rows", up_to(entries.size()),
           ListedColumnBody{b.view(p).col.data, entries.view(), global.view(), columns[p].view()});
    executor->synchronize();  // the lists are in use until then
  }
  if (!alone) {
    columns = exchange(b.rows(), entry_links, columns, entries_in);
    values_ = std::make_unique<Halo<double>>(b.rows().comm(), team, value_links);
    again(b);
  }
  team.each([&](int p) { number_columns(b, p, columns[p]); });
}

std::vector<std::vector<Index>> ghost_rows(const DistCrs& a) {
  std::vector<std::vector<Index>> rows;
  for (int p = 0; p < a.team().parts(); ++p) rows.push_back(a.ghosts(p).rows);
  return rows;
}

void RowFetch::again(const DistCrs& b) {
  if (!values_) return;
  std::vector<View<const double, 1>> from;
  std::vector<View<double, 1>> to;
  for (int p = 0; p < b.team().parts(); ++p) {
    from.push_back(b.view(p).val);
    to.push_back(parts_[p].rows.val.view());
  }
  values_->start(from);
  values_->finish(to);
}

void RowFetch::number_columns(const DistCrs& b, int p, const Array<Index, 1>& fetched) {
  const ExecutorPtr& executor = b.team().executor(p);
  const Range<1> own = b.columns().own(p);
  const Ghosts& old = b.ghosts(p);
  Part& part = parts_[p];
  ColumnRange range = reduce(*executor, "range of columns", up_to(fetched.size()), ColumnRange{own.lo[0], own.hi[0]},
                             JoinRanges{}, RangeOfColumnBody{fetched.view()});
  if (old.size() > 0) range = JoinRanges{}(range, {old.rows.front(), old.rows.back() + 1});
  const Array<Index, 1> old_rows = make_array(executor, old.rows);
  const GhostSet set(executor, own, {{range.first}, {range.end}}, [&](const GhostMarks& marks) {
    mark_list(*executor, old_rows, marks);
    launch(*executor, "mark ghosts", up_to(fetched.size()), MarkForeignBody{fetched.view(), marks});
  });
  part.ghosts = set.ghosts();
  part.rows.col = Array<LocalIndex, 1>(executor, {fetched.size()});
  number_list(*executor, fetched, set.numbering(), part.rows.col);
  const View<const LocalIndex, 1> own_columns = b.view(p).col;
  const GlobalNumbers global = global_numbers(executor, own, old);
  if (part.ghosts.size() > old.size()) {
    part.own_col = Array<LocalIndex, 1>(executor, {own_columns.size()});
    launch(*executor, {"renumber columns", 8.0 * static_cast<double>(own_columns.size())}, up_to(own_columns.size()),
           RenumberBody{own_columns, global.view(), set.numbering(), part.own_col.view()});
  }
  executor->synchronize();  // set and numbers are in use until then
}

CrsView<double> RowFetch::own(const DistCrs& b, int part) const {
  CrsView<double> rows = b.view(part);
  if (of(part).own_col.size() > 0) rows.col = of(part).own_col.view();
  return rows;
}

}  // namespace halocline::sparse
