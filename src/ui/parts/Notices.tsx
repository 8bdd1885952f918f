// The notices at the edge of the page.
import { useLab, useLabActions } from '../lab-context.ts';
import { Icon } from './Icon.tsx';

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
            <button
              type="button"
              className="btn small"
              onClick={() => {
                notice.action?.run();
                lab.dismiss(notice.id);
              }}
            >
              {notice.action.label}
            </button>
          ) : null}
          <button
            type="button"
            className="btn small icon quiet"
            onClick={() => lab.dismiss(notice.id)}
            aria-label="Close"
          >
            <Icon name="close" size={14} />
          </button>
        </div>
      ))}
    </div>
  );
}
