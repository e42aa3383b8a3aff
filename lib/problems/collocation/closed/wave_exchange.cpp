#include "lib/problems/collocation/closed/wave_exchange.hpp"

namespace halocline::collocation {

WaveExchange::WaveExchange(const Communicator& comm, const Team& team, const WaveShape& shape) {
  const Index modes = shape.modes.count(), nodes = shape.nodes.count();
  const bool alone = team.total_parts() == 1;
  for (int p = 0; p < team.parts(); ++p) {
    const ExecutorPtr& executor = team.executor(p);
    const int part = team.first_part() + p;
    Part& own = parts_.emplace_back();
    own.slots = Array<double, 1>(executor, {2 * (shape.strips.block(part).size() + 1) * modes});
    if (alone) continue;
    const Index share = shape.modes.block(part).size();
    own.above = Array<double, 1>(executor, {2 * (nodes + 1) * share});
    own.rows = Array<double, 1>(executor, {2 * shape.nodes.block(part).size() * modes});
    own.all_rows = Array<double, 1>(executor, {2 * nodes * share});
    from_rows_.push_back(own.rows.view());
    to_rows_.push_back(own.rows.view());
    from_all_.push_back(own.all_rows.view());
    to_all_.push_back(own.all_rows.view());
  }
  if (alone) return;
  const std::vector<TurnRows> rows(parts_.size(), {0, 2 * modes, modes});
  const std::vector<Index> at_front(parts_.size(), 0);
  const TurnShape turned{shape.nodes, shape.modes, 2, 0};
  up_.emplace(comm, team, turned, TurnWay::to_columns, rows, at_front);
  down_.emplace(comm, team, turned, TurnWay::to_rows, rows, at_front);
}

void WaveExchange::pack_up() { up_->pack(from_rows_); }
void WaveExchange::finish_up() { up_->finish(to_all_); }
void WaveExchange::pack_down() { down_->pack(from_all_); }
void WaveExchange::finish_down() { down_->finish(to_rows_); }

}  // namespace halocline::collocation
