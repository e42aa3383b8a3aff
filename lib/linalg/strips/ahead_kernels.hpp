// Lines of one axis solved, and strips of the axis to come reduced while what they read is near: in a host's cache, in
// registers and shared memory of a GPU. What reduces strips alone would read the whole field once more. For lines with
// coefficients in common; strips are reduced by the same operations in the same order, so results have the same bits.
//
// The bodies are those of hosts and say what kernels of GPUs do (lib/problems/fractional/cuda).
#pragma once

#include <algorithm>

#include "lib/linalg/strips/contiguous_kernels.hpp"
#include "lib/linalg/strips/field_kernels.hpp"

namespace halocline::strips {

// Lines along x in place, and strips across them, along y, to `ends`.
template <class T>
struct RowsAhead {
  CommonLine<T> line;  // along x
  StripLayout layout;  // of the lines along y
  OwnStrips own;
  StripTable<T> table;
  LineField field;  // its rows are the lines along x
  EndTable<T> ends;
  T* w;

  HALOCLINE_HD Index strips() const { return field.blocks * own.count; }
};

// A strip in a plane at a time.
template <class T>
struct RowsAheadBody {
  RowsAhead<T> of;
  Range<1> tiles() const { return {{0}, {of.strips()}}; }
  void operator()(Index n) const {
    const Index strip = of.own.first + n % of.own.count;
    const Index row = of.layout.begin(strip) - of.layout.begin(of.own.first);
    const FieldValues<T> rows{of.w + of.field.at(n / of.own.count, row, 0)};
    const TileBody<T, FieldValues<T>, FieldValues<T>> solve{
        of.line, {of.layout.size(strip), of.field.row_stride}, rows, rows};
    for (Index tile = 0; tile < solve.lines.tiles_of_block(); ++tile) solve(tile);
    ReduceBody<T, FieldValues<T>, longest_strip>{{of.layout, of.own, of.field}, of.table, of.ends, {of.w}}.row(
        n, 0, of.field.columns);
  }
};

// Lines along y resolved in place, from ends that hold u beside every strip, and strips along z of the same planes,
// whose ends go to tables of several chunks of lines: of rows along y, which begin where strips along y do.
template <class T>
struct ColumnsAhead {
  struct Chunk {
    EndTable<T> ends;
    Index begin;  // its first column, rows along y after each other
  };
  CommonLine<T> line;  // along y
  OwnStrips own;
  LineField field;  // blocks are planes
  EndTable<T> ends;
  StripLayout layout;  // of the lines along z
  OwnStrips planes;    // strips that all planes of the field make up
  int place;           // of the first of them in the tables of chunks
  StripTable<T> table;
  Chunk chunks[4];
  int count;  // chunks
  T* w;

  HALOCLINE_HD const Chunk& chunk(Index column) const {
    int n = count - 1;
    while (chunks[n].begin > column) --n;
    return chunks[n];
  }
  // Rows of a strip along y: begin counts from the part's first.
  HALOCLINE_HD StripPlace rows(Index n) const {
    const Index strip = own.first + n, begin = line.layout.begin(strip);
    return {strip, n, begin - line.layout.begin(own.first), line.layout.size(strip), 0, 0};
  }
};

// Some columns of a strip along y and a strip along z at a time.
template <class T>
struct ColumnsAheadBody {
  static constexpr Index piece = 64;
  ColumnsAhead<T> of;
  Index across() const { return (of.field.columns + piece - 1) / piece; }
  Range<1> tiles() const { return {{0}, {of.planes.count * of.own.count * across()}}; }
  void operator()(Index n) const {
    const Index begin = n % across() * piece, end = std::min(begin + piece, of.field.columns);
    const Index y = n / across() % of.own.count, z = n / across() / of.own.count, strip = of.planes.first + z;
    const ResolveBody<T, FieldValues<T>, FieldValues<T>, longest_strip> resolve{
        {of.line.layout, of.own, of.field}, of.line.table, of.ends, {of.w}, {of.w}};
    const Index plane = of.layout.begin(strip) - of.layout.begin(of.planes.first);
    for (int k = 0; k < of.layout.size(strip); ++k) resolve.row((plane + k) * of.own.count + y, begin, end);
    const StripPlace rows = of.rows(y);
    for (int j = 0; j < rows.rows; ++j) reduce(z, (rows.begin + j) * of.field.columns, begin, end);
  }

 private:
  // Columns of a row along y that begins at column `row` of the lines along z.
  void reduce(Index z, Index row, Index begin, Index end) const {
    const typename ColumnsAhead<T>::Chunk& chunk = of.chunk(row);
    const Index first = row - chunk.begin;
    const LineField field{1, chunk.ends.lines, 0, of.field.block_stride, 1, of.field.at(0, 0, row) - first};
    ReduceBody<T, FieldValues<T>, longest_strip>{
        {of.layout, of.planes, field}, of.table, chunk.ends.from(of.place), {of.w}}
        .row(z, first + begin, first + end);
  }
};

}  // namespace halocline::strips
