// An environment's story: its prompts, the answers to each line by line, and the conclusion.
import type { Story } from '../../store/runs/stories.ts';
import { OutcomeTag } from '../parts/OutcomeTag.tsx';
import { Prompt } from '../parts/Prompt.tsx';

export function StoryView({ story: { tag, seed, parts, paid, truth } }: { story: Story }) {
  return (
    <article className="answer good">
      <p className="answer-head">
        <OutcomeTag mark="✓" tone="good">
          {tag}
        </OutcomeTag>
        <span className="muted note">seed {seed}, as written</span>
      </p>
      <div className="sample-text">
        {parts.map(({ title, prompt, lines }) => (
          <div key={title}>
            <p className="story-title">{title}</p>
            {prompt === null ? null : <Prompt prompt={prompt} hint={null} isPlain />}
            <ol className="story">
              {lines.map(({ name, parts: texts, note }) => (
                <li key={name}>
                  <span className="story-name">{name}</span>
                  <code>
                    {texts.map(({ text, is }, i) =>
                      is === 'said' ? (
                        text
                      ) : (
                        // biome-ignore lint/suspicious/noArrayIndexKey: a text has no id but its place in the line
                        <span key={i} className={`story-rule ${is}`}>
                          {text}
                        </span>
                      ),
                    )}
                  </code>
                  <span className="story-note num">{note}</span>
                </li>
              ))}
            </ol>
          </div>
        ))}
      </div>
      <p className="sample-said">
        {paid} <b>{truth}</b>
      </p>
    </article>
  );
}
