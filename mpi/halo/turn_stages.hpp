// How many stages a turn takes, see turn.hpp. Apart from it, so that simulations of clusters (tests/scale) can decide
// for large parts while they run small ones.
#pragma once

namespace halocline {

enum class TurnStages { automatic, one, two };  // two: one where the number of parts is a prime

// Parts in a grid as square as their number allows, rows not more than columns: parts of a row are neighbors, often of
// a node. Part p stands in row p / columns and column p % columns.
struct TurnGrid {
  int rows, columns;
  int part(int row, int column) const { return row * columns + column; }
};
TurnGrid turn_grid(int parts);

// `bytes`: of all values that a part has. With R rows and C columns of parts, two stages save (R - 1) (C - 1) messages
// of each part and send (R - 1) (C - 1) times the bytes of a message of one stage more. So what decides is the size of
// that message, bytes / parts: one stage where it takes longer to travel than a message takes to be sent and received.
bool turns_in_two_stages(int parts, double bytes);

}  // namespace halocline
