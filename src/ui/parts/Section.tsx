// A titled region of the page, and its empty state until there is something to show.
import type { ReactNode } from 'react';
import { Popover } from './Popover.tsx';

interface SectionProps {
  id: string;
  title: string;
  /** A lead of at most twenty words. */
  lead?: ReactNode;
  /** Further text, behind a question mark after the lead. */
  more?: ReactNode;
  actions?: ReactNode;
  /** Whether the head is only for screen readers, to leave the space for the content. */
  isSlim?: boolean;
  children: ReactNode;
}

export function Section({ id, title, lead, more, actions, isSlim = false, children }: SectionProps) {
  return (
    <section id={id} className={isSlim ? 'section slim' : 'section'} aria-labelledby={`${id}-title`}>
      <header className="section-head">
        <div>
          <h2 id={`${id}-title`} tabIndex={-1}>
            {title}
          </h2>
          {lead ? (
            <div className="section-lead">
              {lead}
              {more ? (
                <>
                  {' '}
                  <Popover label={`More on ${title}`} trigger={<span aria-hidden="true">?</span>} className="help-mark">
                    {() => <p>{more}</p>}
                  </Popover>
                </>
              ) : null}
            </div>
          ) : null}
        </div>
        {actions ? <div className="section-actions">{actions}</div> : null}
      </header>
      {children}
    </section>
  );
}

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <h3>{title}</h3>
      <div className="empty-body">{children}</div>
    </div>
  );
}
