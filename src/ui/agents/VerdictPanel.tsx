// The verdict: for each turn, the matched calls, the argument, time or order of each mismatch, and the events that never fired.

import { OUTCOME_WORDS } from '@projected-grpo-lab/are/verifier/explain.ts';
import { useDeferredValue, useState } from 'react';
import { plural } from '../../experiments/analysis/words.ts';
import type { MatchRow, PlayedRun, VerdictView } from '../../lab/protocol/agents.ts';
import { ENDS } from '../../store/agents/words.ts';
import { Button } from '../parts/Button.tsx';
import { DataTable } from '../parts/DataTable.tsx';
import { Section } from '../parts/Section.tsx';
import { InParts } from './InParts.tsx';
import { Tree } from './Tree.tsx';
import { are, useAre } from './use-are.ts';

export function VerdictPanel() {
  // Deferred, so that the end of the run is drawn first.
  const played = useDeferredValue(
    useAre((state) => state.played),
    null,
  );
  return played ? <Panel played={played} /> : null;
}

function Panel({ played }: { played: PlayedRun }) {
  const { verdict, turns, mistake, turnsWanted, turnsEnded, steps, seconds, end, rows, unfired, notes } = played;
  const isLong = rows.length > PART;
  return (
    <Section id="verdict" title="Verdict" lead="What the agent wrote, against the oracle, turn by turn.">
      <p className={`callout ${verdict.success ? 'good' : 'bad'}`} role="status">
        <b>{OUTCOME_WORDS[verdict.outcome]}</b>{' '}
        {`${turnsEnded} of ${plural(turnsWanted, 'turn')} ended, ${plural(steps, 'action')}, ${plural(Math.round(seconds), 'simulated second')}.`}
        {end === 'turns done' ? '' : ` ${ENDS[end]}`}
        {mistake === null ? '' : ` The mistake: ${mistake}.`}
      </p>
      {verdict.success ? null : <Reasons verdict={verdict} />}
      {Array.from({ length: turnsWanted }, (_, turn) => (
        <Turn
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are identified by their number
          key={turn}
          turn={turn}
          verdict={turns[turn] ?? null}
          isFolded={isLong && (turns[turn]?.success ?? true)}
          rows={rows.filter((row) => row.turn === turn)}
        />
      ))}
      {unfired.length > 0 ? (
        <>
          <h3>Never fired</h3>
          <ul className="are-plain">
            <InParts
              items={unfired}
              part={PART}
              draw={({ id, tool, why }) => (
                <li key={id}>
                  <b>{id}</b> <span className="muted">{tool}</span>: {why}
                </li>
              )}
            />
          </ul>
        </>
      ) : null}
      {notes.length > 0 ? <p className="muted">{notes.join(' ')}</p> : null}
    </Section>
  );
}

interface TurnProps {
  turn: number;
  verdict: VerdictView | null;
  rows: readonly MatchRow[];
  /** Whether it is folded at first. */
  isFolded: boolean;
}

/**
 * Number of rows drawn at first, and added by each press of More. If the verdict has more rows than this, turns that passed are folded at
 * first.
 */
const PART = 30;

function Turn({ turn, verdict, rows, isFolded }: TurnProps) {
  const [isOpen, setOpen] = useState(!isFolded);
  const words = verdict === null ? 'not judged' : verdict.success ? 'passed' : 'failed';
  return (
    <details className="are-turn" open={isOpen} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <h3>
          Turn {turn + 1}{' '}
          <span className={`tag ${verdict === null ? '' : verdict.success ? 'good' : 'bad'}`}>{words}</span>
        </h3>
      </summary>
      {isOpen ? (
        <ul className="are-plain">
          <InParts
            items={rows}
            part={PART}
            draw={({ oracleId, isAgent, tool, status, place, args }) => (
              <li key={oracleId} className="are-match">
                <details>
                  <summary>
                    <b>{oracleId}</b> <span className="are-line">{tool}</span>
                  </summary>
                  <p className="muted">
                    {isAgent ? 'The oracle’s call, with these arguments:' : 'Of user or environment:'}
                  </p>
                  <Tree value={args} />
                </details>
                {place !== null ? (
                  <Button label={`entry ${place + 1}`} onClick={() => are.jump(place)} />
                ) : (
                  <span className={`tag ${status === 'no call matches' ? 'bad' : ''}`}>{status}</span>
                )}
              </li>
            )}
          />
        </ul>
      ) : null}
    </details>
  );
}

/**
 * The differences as a table if the verifier provides them as data, otherwise its text.
 * @param of distinguishes a turn's table from that of the whole run
 */
export function Reasons({ verdict, of = '' }: { verdict: VerdictView; of?: string }) {
  const { lacking, counts, exception, rationale } = verdict;
  if (exception) return <p className="said">{`The judge raised ${exception.kind}: ${exception.text}`}</p>;
  if (counts) return <Differences of={of} what="Calls in this turn" rows={counts} />;
  if (lacking && lacking.differences.length > 0) {
    return (
      <>
        <p className="are-reason">
          No call of the agent matches the oracle’s <b>{lacking.oracleEventId}</b> ({lacking.toolName}). What differs:
        </p>
        <Differences of={of} what="What differs" rows={lacking.differences} />
      </>
    );
  }
  return <p className="said">{rationale}</p>;
}

interface DifferencesProps {
  what: string;
  of: string;
  rows: readonly { what: string; agent: string | number; oracle: string | number }[];
}

function Differences({ what, of, rows }: DifferencesProps) {
  const [most, setMost] = useState(PART);
  return (
    <DataTable
      label={`${what}${of}`}
      className="are-table are-compared"
      rows={rows.slice(0, most)}
      columns={[
        { head: what, cell: (row) => row.what },
        { head: 'Agent', cell: ({ agent }) => agent, className: '' },
        { head: 'Oracle', cell: ({ oracle }) => oracle, className: '' },
      ]}
    >
      {rows.length > most ? <Button label={`${rows.length - most} more`} onClick={() => setMost(most + PART)} /> : null}
    </DataTable>
  );
}
