// The question mark beside a metric or a setting. Its help is loaded when it is opened.
import type { GlossaryEntry } from '../../lib/option.ts';
import type { GlossaryId } from '../../store/glossary/glossary.ts';
import { lazyPart } from './lazy-part.tsx';
import { Popover } from './Popover.tsx';

const HelpText = lazyPart(() => import('./HelpText.tsx'), <p>Loading …</p>);

interface MetricHelpProps {
  /** An entry of the glossary, or its id. */
  id: GlossaryId | GlossaryEntry;
  /** The name of the metric or setting, as in the text beside the question mark. */
  name: string;
  /** Text of the button in place of the question mark. */
  text?: string;
  /** First line: about the setting itself, if the glossary entry describes a wider concept. */
  lead?: string;
  /** Second paragraph: the effect of each value, an exception, or an example. */
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
