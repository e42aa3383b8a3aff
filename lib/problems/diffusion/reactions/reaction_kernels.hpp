// Bodies for gpu/launch.hpp: one step of several fields that react, c_t = div(D grad c) + S(all fields), in one pass:
// sources are evaluated for some cells (a cell, on a GPU) and used while they are at hand. Steps are those of
// flux_kernels.hpp, with the same bits as a single field whose source is evaluated before.
//
// Traffic of a step: every field read once and written once, 16 bytes a cell and field, and 8 for a D that varies.
#pragma once

#include <algorithm>

#include "lib/expression/program_kernels.hpp"
#include "lib/fields/point_program_kernels.hpp"
#include "lib/problems/diffusion/reactions/rates_layout.hpp"
#include "lib/problems/diffusion/shell_kernels.hpp"
#include "lib/problems/diffusion/steppers/flux_kernels.hpp"

namespace halocline::diffusion {

struct ReactingTerms {
  FluxTerms flux;
  FaceMean mean = FaceMean::constant;
};

// A step of all fields of a part.
struct ReactionStep {
  int count = 0;
  const ConvolveBlock<double>* blocks = nullptr;  // of the fields, in memory of the executor
  ReactingTerms terms[most_fields];
};

// A program of x, y, z, t and all fields, by rows of values: for host devices.
struct RowSources {
  static constexpr int most = 4 + most_fields;  // variables

  ProgramView program;
  const PointInput* inputs;
  double t;

  // On cells from .. from + count - 1 of a line, count <= `width`. results[r]: where result r then lies, in `scratch`,
  // `width` numbers per register, in `spare`, `width` per result, or among the inputs.
  void evaluate(Index z, Index y, Index from, int count, int width, double* scratch, double* spare,
                const double** results) const {
    const PointGiven given{t, nullptr};
    ProgramInput rows[most];
    for (std::uint32_t v = 0; v < program.variable_count; ++v) {
      const PointInput& input = inputs[v];
      const double* values = input.source == PointInput::Source::number ? &given.number : input.values;
      if (input.source == PointInput::Source::values && values != nullptr)
        values += from * input.along + y * input.across + z * input.over;
      rows[v] = {values, input.along == 0};
    }
    ProgramView silent = program;
    silent.result_count = 0;  // which would be copied
    EvaluateProgram{silent, rows, nullptr, scratch, count, 1, width}(0);
    for (std::uint32_t r = 0; r < program.result_count; ++r) {
      const ProgramInput from_program = row_of(program.results[r], rows, scratch, width);
      results[r] = from_program.values;
      if (!from_program.constant) continue;
      double* own = spare + r * static_cast<Index>(width);
      std::fill(own, own + count, *from_program.values);
      results[r] = own;
    }
  }

 private:
  ProgramInput row_of(std::uint32_t operand, const ProgramInput* rows, const double* scratch, int width) const {
    if (operand < program.variable_count) return rows[operand];
    operand -= program.variable_count;
    if (operand < program.constant_count) return {program.constants + operand, true};
    return {scratch + (operand - program.constant_count) * static_cast<Index>(width), false};
  }
};

// The same at a cell, for devices with a thread per cell, of at most Own registers.
template <int Own>
struct PointSources {
  PointProgramView program;
  const PointInput* inputs;
  double t;

  // use(r, value) for every result.
  template <class Use>
  HALOCLINE_HD void evaluate(Index z, Index y, Index x, const Use& use) const {
    const PointGiven given{t, nullptr};
    OwnRegisters<Own> registers;
    const PointOperands<OwnRegisters<Own>> operand{program, inputs, given, x, y, z, registers};
    for (std::uint32_t n = 0; n < program.instruction_count; ++n) {
      const PointInstruction step = program.instructions[n];
      const auto operation = static_cast<Operation>(step.operation);
      const int operands = arity(operation);
      const double a = operand(step.a), b = operands > 1 ? operand(step.b) : 0, c = operands > 2 ? operand(step.c) : 0;
      registers[step.result] = apply(operation, a, b, c);
    }
    for (std::uint32_t r = 0; r < program.result_count; ++r) use(static_cast<int>(r), operand(program.results[r]));
  }
};

namespace flux {

// A cell that walls may reach, with a source that is at hand.
template <FaceMean M, int Dimensions>
HALOCLINE_HD inline double react_at_wall(const ConvolveBlock<double>& b, const FluxTerms& f, Index z, Index y, Index x,
                                         double source) {
  const Cells<double> cells{b.c, b.pitch, b.plane};
  const Neighbors<double, Cells<double>> at{b, 0, cells, z, y, x};
  const Faces<M> D{b, f, z, y, x};
  if (f.record.kept()) record(b, f, at, D, z, y, x);
  return update<M, Dimensions>(f, at, D, source);
}

// A cell that they do not reach.
template <FaceMean M, int Dimensions>
HALOCLINE_HD inline double react_inside(const ConvolveBlock<double>& b, const FluxTerms& f, Index at, double source) {
  const double* D = M == FaceMean::constant ? b.c : f.D;
  return update<M, Dimensions>(f, Inner{b.c + at, b.pitch, b.plane}, InnerFaces<M>{{D + at, b.pitch, b.plane}}, source);
}

// Calls with(MeanOf<M>{}) for the mean of a field.
template <FaceMean M>
struct MeanOf {
  static constexpr FaceMean value = M;
};
template <class With>
HALOCLINE_HD inline void with_mean(FaceMean mean, const With& with) {
  if (mean == FaceMean::constant) return with(MeanOf<FaceMean::constant>{});
  if (mean == FaceMean::harmonic) return with(MeanOf<FaceMean::harmonic>{});
  with(MeanOf<FaceMean::arithmetic>{});
}

}  // namespace flux

// Shares lines along x of a box of cells out to workers, on the host: for_lines(worker, line(z, y)).
struct WorkerLines {
  BoxLines lines;
  Index columns;  // of a line
  Index workers;
  template <class Line>
  void operator()(Index worker, const Line& line) const {
    const Index count = lines.count();
    for (Index n = worker * count / workers; n < (worker + 1) * count / workers; ++n)
      line(lines.z_of(n), lines.y_of(n));
  }
};

// A step by rows of values, a worker's lines, on the host.
template <int Dimensions>
struct ReactRows {
  ReactionStep step;
  RowSources sources;
  WorkerLines lines;
  double* scratch;  // of each worker `width` numbers per register and per field
  int width;

  void operator()(Index worker) const {
    const Index registers = sources.program.register_count * static_cast<Index>(width);
    double* const own = scratch + worker * (registers + step.count * static_cast<Index>(width));
    const Index n = lines.columns;
    const double* source[most_fields];
    lines(worker, [&](Index z, Index y) {
      for (Index from = 0; from < n; from += width) {
        const Index to = n - from < width ? n : from + width;
        sources.evaluate(z, y, from, static_cast<int>(to - from), width, own, own + registers, source);
        for (int f = 0; f < step.count; ++f) piece(f, z, y, from, to, source[f]);
      }
    });
  }

 private:
  void piece(int field, Index z, Index y, Index from, Index to, const double* source) const {
    const ReactingTerms& terms = step.terms[field];
    if (terms.flux.record.kept()) terms.flux.record.add_cells(z, y, from, source, to - from);
    const ConvolveBlock<double>& b = step.blocks[field];
    switch (terms.mean) {
      case FaceMean::constant:
        return piece<FaceMean::constant>(b, terms.flux, z, y, from, to, source);
      case FaceMean::harmonic:
        return piece<FaceMean::harmonic>(b, terms.flux, z, y, from, to, source);
      case FaceMean::arithmetic:
        return piece<FaceMean::arithmetic>(b, terms.flux, z, y, from, to, source);
    }
  }
  // `source`: of cell `from` and those behind it.
  template <FaceMean M>
  void piece(const ConvolveBlock<double>& b, const FluxTerms& f, Index z, Index y, Index from, Index to,
             const double* source) const {
    const Index n = b.extent[0], row = b.offset(z, y, 0);
    const bool near = flux::row_at_wall(b, z, y);
    const Index lo = near ? to : (from == 0 ? 1 : from), hi = near ? to : (to == n ? std::max(n - 1, lo) : to);
    const auto at_wall = [&](Index x) {
      b.next[row + x] = flux::react_at_wall<M, Dimensions>(b, f, z, y, x, source[x - from]);
    };
    for (Index x = from; x < lo; ++x) at_wall(x);
    inner<M>(b, f, row + lo, hi - lo, source + (lo - from));
    for (Index x = hi; x < to; ++x) at_wall(x);
  }
  // Cells away from walls, from number `at` of memory on. Vector units take several at a time: nothing here is read
  // through what a store could change, and nothing is asked in the loop.
  template <FaceMean M>
  void inner(const ConvolveBlock<double>& b, const FluxTerms& f, Index at, Index count, const double* source) const {
    const FluxTerms terms = f;
    const Index pitch = b.pitch, plane = b.plane;
    const double *c = b.c + at, *D = M == FaceMean::constant ? c : f.D + at;
    double* out = b.next + at;
#pragma omp simd
    for (Index i = 0; i < count; ++i)
      out[i] = flux::update<M, Dimensions>(terms, flux::Inner{c + i, pitch, plane},
                                           flux::InnerFaces<M>{{D + i, pitch, plane}}, source[i]);
  }
};

// A step of cells that no wall reaches: lines of a box (z, y, x), a thread per cell.
template <int Dimensions, int Own>
struct ReactCells {
  ReactionStep step;
  PointSources<Own> sources;
  Range<3> box;

  HALOCLINE_HD void operator()(Index line, Index n) const {
    const Index deep = box.extent(1), z = box.lo[0] + line / deep, y = box.lo[1] + line % deep, x = box.lo[2] + n;
    const Index at = step.blocks[0].offset(z, y, x);
    sources.evaluate(z, y, x, [&](int field, double source) {
      const ConvolveBlock<double>& b = step.blocks[field];
      const ReactingTerms& terms = step.terms[field];
      flux::with_mean(terms.mean, [&](auto mean) {
        b.next[at] = flux::react_inside<decltype(mean)::value, Dimensions>(b, terms.flux, at, source);
      });
    });
  }
  void row(Index line, Index begin, Index end) const {
    for (Index n = begin; n < end; ++n) (*this)(line, n);
  }
};

// A step of the cells that walls reach, counted through the boxes of a shell, a thread per cell.
template <int Dimensions, int Own>
struct ReactShellCells {
  ReactionStep step;
  PointSources<Own> sources;
  Shell shell;

  HALOCLINE_HD void operator()(Index n) const {
    const ShellPlace p = shell.place(n);
    sources.evaluate(p.z, p.y, p.x, [&](int field, double source) {
      const ConvolveBlock<double>& b = step.blocks[field];
      const ReactingTerms& terms = step.terms[field];
      flux::with_mean(terms.mean, [&](auto mean) {
        b.next[b.offset(p.z, p.y, p.x)] =
            flux::react_at_wall<decltype(mean)::value, Dimensions>(b, terms.flux, p.z, p.y, p.x, source);
      });
    });
  }
};

// The source of a field at a cell, for RecordedPieces.
template <int Own>
struct SourceOfField {
  PointSources<Own> sources;
  int field;
  HALOCLINE_HD double operator()(Index z, Index y, Index x) const {
    double source = 0;
    const int wanted = field;
    sources.evaluate(z, y, x, [&](int r, double value) { source = r == wanted ? value : source; });
    return source;
  }
};

// The largest values of all results of a program, noted at to[result]: by rows on the host.
struct LargestRows {
  RowSources entries;
  WorkerLines lines;
  Bits* to;
  double* scratch;  // of each worker `width` numbers per register and result
  int width;

  void operator()(Index worker) const {
    const std::uint32_t count = entries.program.result_count;
    const Index registers = entries.program.register_count * static_cast<Index>(width);
    double* const own = scratch + worker * (registers + count * static_cast<Index>(width));
    const Index n = lines.columns;
    const PointLargest rule{to, false};
    double most[most_rates] = {};
    const double* values[most_rates];
    lines(worker, [&](Index z, Index y) {
      for (Index from = 0; from < n; from += width) {
        const int cells = n - from < width ? static_cast<int>(n - from) : width;
        entries.evaluate(z, y, from, cells, width, own, own + registers, values);
        for (std::uint32_t r = 0; r < count; ++r) {
          const double* row = values[r];
          double largest = most[r];
#pragma omp simd reduction(max : largest)
          for (int i = 0; i < cells; ++i) {
            const double value = rule.counted(row[i]);
            largest = value > largest ? value : largest;
          }
          most[r] = largest;
        }
      }
    });
    for (std::uint32_t r = 0; r < count; ++r) atomic_raise(to + r, most[r]);
  }
};

// The same, a thread per cell of the lines along x of a part.
template <int Own>
struct LargestCells {
  PointSources<Own> entries;
  SlabLayout slab;
  Bits* to;

  HALOCLINE_HD void operator()(Index line, Index x) const {
    const PointLargest rule{to, false};
    Bits* const places = to;
    entries.evaluate(slab.z_of(line, 0), slab.y_of(line, 0), x,
                     [&](int r, double value) { atomic_raise(places + r, rule.counted(value)); });
  }
  void row(Index line, Index begin, Index end) const {
    for (Index x = begin; x < end; ++x) (*this)(line, x);
  }
};

}  // namespace halocline::diffusion
