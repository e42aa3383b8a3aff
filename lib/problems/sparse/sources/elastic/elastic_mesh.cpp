#include "lib/problems/sparse/sources/elastic/elastic_mesh.hpp"

#include "gpu/launch.hpp"

namespace halocline::sparse {

namespace {

struct ElasticPointsBody {
  ElasticLayout layout;
  Index first;
  View<double, 1> points;
  HALOCLINE_HD void operator()(Index n) const {
    const BoxLayout nodes = layout.nodes();
    Index at[3];
    if (first + n < nodes.rows()) {
      nodes.place(first + n, at);
      at[0] += 1;
    } else {
      const Index line = first + n - nodes.rows();
      at[0] = 0;
      at[1] = line % nodes.n[1];
      at[2] = line / nodes.n[1];
    }
    for (int axis = 0; axis < 3; ++axis) points(3 * n + axis) = static_cast<double>(at[axis]);
  }
};

struct ElasticCornersBody {
  ElasticLayout layout;
  Index first;
  View<Index, 1> corners;
  HALOCLINE_HD void operator()(Index n) const {
    const BoxLayout nodes = layout.nodes();
    const Index cell = first + n, line = cell / layout.elements[0];
    const Index i = cell % layout.elements[0], j = line % layout.elements[1], k = line / layout.elements[1];
    for (int place = 0; place < 8; ++place) {
      const int up = place >> 2, turn = place & 3;  // around the lower face, then around the upper one
      const Index x = i + (turn == 1 || turn == 2 ? 1 : 0);
      const Index of_line = j + (turn >> 1) + nodes.n[1] * (k + up);
      corners(8 * n + place) = x == 0 ? nodes.rows() + of_line : x - 1 + nodes.n[0] * of_line;
    }
  }
};

}  // namespace

Array<double, 1> ElasticMesh::points(const ExecutorPtr& executor, const Range<1>& own) const {
  Array<double, 1> made(executor, {3 * own.extent(0)});
  launch(*executor, {"elastic points", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {own.extent(0)}},
         ElasticPointsBody{layout_, own.lo[0], made.view()});
  return made;
}

Array<Index, 1> ElasticMesh::corners(const ExecutorPtr& executor, const Range<1>& groups) const {
  Array<Index, 1> made(executor, {8 * groups.extent(0)});
  launch(*executor, {"elastic cells", 8.0 * static_cast<double>(made.size())}, Range<1>{{0}, {groups.extent(0)}},
         ElasticCornersBody{layout_, groups.lo[0], made.view()});
  return made;
}

}  // namespace halocline::sparse
