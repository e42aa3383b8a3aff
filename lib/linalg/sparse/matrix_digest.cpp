#include "lib/linalg/sparse/matrix_digest.hpp"

#include <cstring>

#include "gpu/launch.hpp"
#include "lib/base/hash.hpp"
#include "mpi/exchange.hpp"

namespace halocline::sparse {

struct JoinDigests {
  HALOCLINE_HD MatrixDigest operator()(const MatrixDigest& a, const MatrixDigest& b) const {
    return {a.pattern + b.pattern, a.values + b.values};
  }
};

struct RowDigestBody {
  CrsView<double> a;
  GlobalNumbering column;
  Index first;  // own row
  HALOCLINE_HD MatrixDigest operator()(Index row) const {
    MatrixDigest sum;
    const Bits of_row = mix64(static_cast<Bits>(first + row));
    for (Index e = a.ptr(row); e < a.ptr(row + 1); ++e) {
      const Bits place = mix64(of_row ^ static_cast<Bits>(column(a.col(e))));
      const double value = a.val(e);
      Bits bits = 0;
      std::memcpy(&bits, &value, sizeof(bits));
      sum.pattern += place;
      sum.values += mix64(place ^ bits);
    }
    return sum;
  }
};

MatrixDigest digest_of(const DistCrs& a) {
  std::vector<MatrixDigest> own(static_cast<std::size_t>(a.team().parts()));
  a.team().each([&](int p) {
    const ExecutorPtr& executor = a.team().executor(p);
    const GlobalNumbers global = global_numbers(executor, a.columns().own(p), a.ghosts(p));
    own[p] = reduce(*executor, {"digest", 12.0 * static_cast<double>(a.view(p).entries())},
                    Range<1>{{0}, {a.rows().own_size(p)}}, MatrixDigest{}, JoinDigests{},
                    RowDigestBody{a.view(p), global.view(), a.rows().own(p).lo[0]});
  });
  if (a.rows().replicated()) return own.front();
  MatrixDigest all;
  for (const MatrixDigest& part : gather_lists(a.rows().comm(), own).values) all = JoinDigests{}(all, part);
  return all;
}

}  // namespace halocline::sparse
