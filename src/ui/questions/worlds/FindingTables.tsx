// The tables of an environment's question: what the verdict was made of, with every seed or unit; and the rows' other tables, as they were
// written.
import type { ReactNode } from 'react';
import { shown, three } from '../../../experiments/questions/numbers.ts';
import type { Estimate, Table } from '../../../experiments/questions/types.ts';

export function FigureTable({ id, figures, unit }: { id: string; figures: readonly Estimate[]; unit: string }) {
  const isWorded = figures.some(({ word }) => word !== null);
  const hasEach = figures.some(({ each }) => each.length > 0);
  return (
    <Box label={`Figures of ${id}`}>
      <table className="result finding-table">
        <thead>
          <tr>
            <th scope="col">Compared</th>
            <th scope="col">n, {unit}</th>
            <th scope="col">mean [95 %]</th>
            {isWorded ? (
              <th scope="col" className="finding-word">
                by the rule
              </th>
            ) : null}
            {hasEach ? (
              <th scope="col" className="finding-each">
                each
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {figures.map((figure) => (
            <tr key={figure.name}>
              <th scope="row">{figure.name}</th>
              <td className="num">{figure.n}</td>
              <td className="num">{shown(figure)}</td>
              {isWorded ? <td className="finding-word">{figure.word ?? '–'}</td> : null}
              {hasEach ? (
                <td className="finding-each">
                  <Each of={figure.each} />
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
    </Box>
  );
}

/** `seed 41 .142 · 42 .113 …`: what they are is said once. */
function Each({ of }: { of: Estimate['each'] }) {
  if (of.length === 0) return <>–</>;
  const [first] = of[0].of.split(' ');
  const isShared = of.every((one) => one.of.startsWith(`${first} `));
  return (
    <span className="num">
      {isShared ? <span className="muted">{first} </span> : null}
      {of.map((one, i) => (
        <span key={one.of}>
          {i > 0 ? ' · ' : ''}
          <span className="muted">{isShared ? one.of.slice(first.length + 1) : one.of}</span> <b>{three(one.value)}</b>
        </span>
      ))}
    </span>
  );
}

export function TextTable({ table: { title, head, rows } }: { table: Table }) {
  return (
    <div>
      <h3 className="finding-title">{title}</h3>
      <Box label={title}>
        <table className="result finding-table">
          <thead>
            <tr>
              {head.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, ...cells]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                {cells.map((cell, c) => (
                  <td key={head[c + 1]} className="num">
                    {cell}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </Box>
    </div>
  );
}

function Box({ label, children }: { label: string; children: ReactNode }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard.
    <section className="table-box" aria-label={label} tabIndex={0}>
      {children}
    </section>
  );
}
