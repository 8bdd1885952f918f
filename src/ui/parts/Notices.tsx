// The notices at the edge of the page.
import { useLab, useLabActions } from '../lab-context.ts';
import { Button } from './Button.tsx';

export function Notices() {
  const lab = useLabActions();
  const notices = useLab((state) => state.notices);
  return (
    <div className="notices" aria-live="polite">
      {notices.map((notice) => (
        <div key={notice.id} className={`notice ${notice.tone}`} role={notice.tone === 'bad' ? 'alert' : undefined}>
          <div>
            <p>{notice.message}</p>
            {notice.remedy ? <p className="muted">{notice.remedy}</p> : null}
          </div>
          {notice.action ? (
            <Button
              label={notice.action.label}
              onClick={() => {
                notice.action?.run();
                lab.dismiss(notice.id);
              }}
            />
          ) : null}
          <Button icon="close" tone="quiet" onClick={() => lab.dismiss(notice.id)} aria-label="Close" />
        </div>
      ))}
    </div>
  );
}
