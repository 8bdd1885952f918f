// One stored record as a body of the table: its cells, its buttons (shown over the row when it is pointed at or focused, and below it on a
// touch screen), and the panel that a button has opened.
import type { ReactNode } from 'react';
import { moment } from '../../../lib/numbers.ts';
import { KEPT_COLUMNS } from './kept-columns.ts';

interface KeptLineProps {
  name: string;
  title: ReactNode;
  question: ReactNode;
  basis?: ReactNode;
  seeds?: ReactNode;
  hack?: ReactNode;
  solve?: ReactNode;
  steps: ReactNode;
  createdAt: number;
  /** Text after the date: device and size. */
  facts: string;
  isShown?: boolean;
  isChosen: boolean | undefined;
  onChoose: (() => void) | undefined;
  tools: ReactNode;
  /** Panel that one of the buttons has opened; null for none. */
  panel: ReactNode;
}

export function KeptLine(props: KeptLineProps) {
  const { name, title, question, basis, seeds, hack, solve, steps, createdAt, facts } = props;
  const { isShown = false, isChosen, onChoose, tools, panel } = props;
  return (
    <tbody className={isShown ? 'kept-line shown' : 'kept-line'}>
      <tr>
        <td className="kept-check">
          {onChoose ? (
            <input type="checkbox" checked={isChosen} onChange={onChoose} aria-label={`Select ${name}`} />
          ) : null}
        </td>
        <th scope="row">{title}</th>
        <td data-label="Question">{question}</td>
        <td data-label="Basis">{basis}</td>
        <td data-label="Seeds" className="num">
          {seeds}
        </td>
        <td data-label="Hack" className="num">
          {hack}
        </td>
        <td data-label="Solve" className="num">
          {solve}
        </td>
        <td data-label="Steps" className="num">
          {steps}
        </td>
        <td data-label="When" className="num kept-when" title={facts}>
          {moment(createdAt)}
          <div className="kept-tools">{tools}</div>
        </td>
      </tr>
      {panel === null ? null : (
        <tr className="kept-opened">
          <td colSpan={KEPT_COLUMNS.length + 1}>{panel}</td>
        </tr>
      )}
    </tbody>
  );
}
