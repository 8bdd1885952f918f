// Self-improvement step by step: a typed or drawn puzzle, and the model's answers in order, each with the check's verdict, which the model
// sees before its next answer. Shown if the model for chain puzzles is loaded.

import { use } from 'react';
import { useStore } from 'zustand/react';
import { type ChainPuzzle, satisfied } from '../../environments/chain/task.ts';
import { decimal } from '../../lib/numbers.ts';
import { type ExitStep, MOST_ANSWERS } from '../../store/playground/exit-steps.ts';
import { useLabActions, usePlayground } from '../lab-context.ts';
import { Button } from '../parts/Button.tsx';
import { Options } from '../parts/Choice.tsx';
import { Problem } from '../parts/Problem.tsx';
import { Section } from '../parts/Section.tsx';
import { TableBox } from '../parts/TableBox.tsx';
import './exit-steps.css';

export default function ExitSteps() {
  const lab = useLabActions();
  const iterate = use(lab.openExitSteps());
  const state = useStore(iterate.store);
  const runs = usePlayground(({ runs }) => runs)?.filter(({ source }) => !source) ?? [];
  const { text, puzzle, steps, model, runId, seed, temperature, writing, problem } = state;
  const solved = steps.at(-1)?.verdict.correct ?? false;
  const closed = solved || steps.length >= MOST_ANSWERS;
  const who = runId === null ? 'base' : `${runId} ${model}`;

  return (
    <Section
      id="iterate"
      title="Iterate"
      lead="The model answers a chain puzzle, is shown its answer with what the check said, and answers again."
    >
      <form
        className="ask iterate"
        aria-label="Iterate"
        onSubmit={(event) => {
          event.preventDefault();
          void iterate.step();
        }}
      >
        <div className="iterate-puzzle">
          <label>
            <span>Puzzle</span>
            <input
              type="text"
              className="mono"
              value={text}
              spellCheck={false}
              autoComplete="off"
              onChange={(event) => iterate.change({ text: event.target.value })}
            />
          </label>
          <Button label="Draw another" isLarge onClick={iterate.draw} />
        </div>
        <p className="muted">
          Six relations between seven digits of 1 to 5, left to right; + and − are one more and one less. One with a ?
          is hidden from the model until an answer breaks it. Drawn puzzles are unseen in training.
        </p>
        <div className="ask-settings">
          <label className="run-choice">
            <span>Model</span>
            <select
              value={who}
              onChange={(event) => {
                const run = runs.find((one) => `${one.runId} trained` === event.target.value);
                iterate.change(run ? { runId: run.runId, model: 'trained' } : { runId: null, model: 'base' });
              }}
            >
              <option value="base">base (untrained)</option>
              <Options of={runs.map(({ runId: id, words }) => [`${id} trained`, words])} />
            </select>
          </label>
          <label>
            <span>Seed</span>
            <input
              type="number"
              min={0}
              max={1e6}
              value={seed}
              onChange={(event) => iterate.change({ seed: Math.max(0, Math.trunc(Number(event.target.value))) || 0 })}
            />
          </label>
          <label>
            <span>Temperature</span>
            <input
              type="number"
              min={0}
              max={2}
              step={0.1}
              value={temperature}
              onChange={(event) =>
                iterate.change({ temperature: Math.min(2, Math.max(0, Number(event.target.value))) })
              }
            />
          </label>
        </div>
        <p className="row-buttons">
          <Button
            label={steps.length === 0 ? 'Answer' : 'Next step'}
            isLarge
            tone="primary"
            type="submit"
            disabled={closed || writing !== null}
          />{' '}
          {writing ? (
            <Button label="Stop" isLarge onClick={() => void iterate.stop()} />
          ) : (
            <Button label="Until it is solved" isLarge disabled={closed} onClick={() => void iterate.run()} />
          )}
        </p>
      </form>
      <Problem problem={problem} />
      {puzzle && steps.length > 0 ? <Steps puzzle={puzzle} steps={steps} /> : null}
    </Section>
  );
}

function Steps({ puzzle, steps }: { puzzle: ChainPuzzle; steps: readonly ExitStep[] }) {
  return (
    <TableBox label="Steps">
      <table className="result" data-testid="iterate-steps">
        <thead>
          <tr>
            <th scope="col">K</th>
            <th scope="col">Answer</th>
            <th scope="col">Quality</th>
            <th scope="col">What it was shown</th>
          </tr>
        </thead>
        <tbody>
          {steps.map(({ task, completion, verdict }, k) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the index is K
            <tr key={k} className={verdict.correct ? 'solved' : undefined}>
              <th scope="row" className="num">
                {k}
              </th>
              <td>
                {verdict.answer ? (
                  <MarkedDigits puzzle={puzzle} answer={verdict.answer} />
                ) : (
                  <span>
                    not a row of digits: <code>{completion.trim().slice(0, 40) || 'nothing'}</code>
                  </span>
                )}
              </td>
              <td className="num">
                {decimal(verdict.quality)}
                {verdict.correct ? ' ✓ solved' : ''}
              </td>
              <td>
                <code>{/user\n(.*)<\|im_end\|>/.exec(task.prompt)?.[1] ?? task.prompt}</code>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </TableBox>
  );
}

/** Digits with the relations between them. Violated relations are marked. */
function MarkedDigits({ puzzle, answer }: { puzzle: ChainPuzzle; answer: string }) {
  const row = Array.from(answer, Number);
  const holds = satisfied(puzzle.relations, row);
  const broken = holds.filter((held) => !held).length;
  return (
    <span className="iterate-row" role="img" aria-label={`${answer}, ${broken} of ${holds.length} relations broken`}>
      {row.map((digit, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: digits are identified by their place in the row
        <span key={i} className="mono">
          {digit}
          {i < holds.length ? (
            <i className={holds[i] ? 'held' : 'broken'}>
              {puzzle.hidden[i] ? '?' : ''}
              {puzzle.relations[i]}
            </i>
          ) : null}
        </span>
      ))}
    </span>
  );
}
