// The question mark beside a metric or a setting; what it opens arrives when it is opened.
import type { GlossaryEntry } from '../../lib/option.ts';
import type { GlossaryId } from '../../store/glossary/glossary.ts';
import { late } from './late.tsx';
import { Popover } from './Popover.tsx';

const HelpText = late(() => import('./HelpText.tsx'), <p>Loading …</p>);

interface MetricHelpProps {
  /** An entry of the glossary, or its id. */
  id: GlossaryId | GlossaryEntry;
  /** What it is about, in the words beside it. */
  name: string;
  /** Text of the button in place of the question mark. */
  text?: string;
  /** Said first: of the setting itself, where the entry is of a wider concept. */
  lead?: string;
  /** Below it: what each value does, an exception, an example. */
  more?: string;
}

export function MetricHelp({ id, name, text, lead, more }: MetricHelpProps) {
  return (
    <Popover
      label={text ?? `About ${name}`}
      trigger={text ?? <span aria-hidden="true">?</span>}
      className={text ? 'help-text' : 'help-mark'}
    >
      {() => (
        <div className="popover-help">
          {lead ? <p className="help-lead">{lead}</p> : null}
          {more ? <p>{more}</p> : null}
          <HelpText id={id} />
        </div>
      )}
    </Popover>
  );
}
