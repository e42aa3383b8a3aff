// Block kernels of products by hash tables; products/hash_product.hpp starts them. A build without CUDA has none.
#pragma once

#include "lib/base/executor.hpp"
#include "lib/linalg/sparse/factor_layout.hpp"

namespace halocline::sparse {

// Rows of C = A B that are made with tables of one size.
struct HashRows {
  CrsView<double> a;
  FactorRows b;
  const LocalIndex* rows;  // their numbers
  Index count;
  Index slots;  // of a table, a power of two from 64 on
  int lanes;    // that share a row's table: 4, 8, 16 or 32, as rows of B are long; 32 beyond 512 slots
  // Memory for so many tables, null where they fit into shared memory: up to 4096 slots.
  unsigned char* memory;
  Index tables;
};
// Of a table in the device's memory.
Index bytes_of_table(Index slots);

// Rows whose tables were full, in any order.
struct FullRows {
  LocalIndex* rows;
  LocalIndex* count;
};
// Entries of every row; leaves rows out whose entries fill more than three quarters of a table.
void count_by_hash(const Executor& executor, const HashRows& work, Index* count, const FullRows& full);

// Where entries go. Columns ascend, or come in the order in which they arise.
struct MadeRows {
  const Index* ptr;
  LocalIndex* col;
  double* val;
  bool sorted;
};
void sum_by_hash(const Executor& executor, const HashRows& work, const MadeRows& made);

// New values of known columns.
void sum_known_by_hash(const Executor& executor, const HashRows& work, const KnownProduct& known);

}  // namespace halocline::sparse
