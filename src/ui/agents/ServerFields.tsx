// Which servers an agent asks: of its model, with the model's name there and a key; of more tools (MCP). They stay in this tab's memory.
import { useId } from 'react';
import { are, useAre } from './use-are.ts';

const FIELDS = [
  {
    name: 'base',
    label: 'Server’s address',
    type: 'url',
    placeholder: 'http://localhost:8000/v1',
    help: 'OpenAI-compatible.',
  },
  { name: 'model', label: 'Model’s name there', type: 'text', placeholder: '', help: 'Its name on the server.' },
  {
    name: 'key',
    label: 'Key',
    type: 'password',
    placeholder: '',
    help: 'If the server needs one. Stays in this tab’s memory.',
  },
] as const;

export function ServerFields() {
  const server = useAre((state) => state.form.server);
  const id = useId();
  return FIELDS.map(({ name, label, type, placeholder, help }) => (
    <div key={name} className="field">
      <label htmlFor={id + name}>{label}</label>
      <input
        id={id + name}
        {...(type === 'url' ? { type: 'text', inputMode: 'url' } : { type })}
        {...{ placeholder, autoComplete: 'off', autoCapitalize: 'off', spellCheck: false }}
        value={server[name]}
        aria-describedby={`${id}${name}-help`}
        onChange={({ target }) => are.setForm({ server: { ...server, [name]: target.value } })}
      />
      <p className="help" id={`${id}${name}-help`}>
        {help}
      </p>
    </div>
  ));
}

export function ToolServerField() {
  const mcp = useAre((state) => state.form.mcp);
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>Tools of an MCP server</label>
      <input
        id={id}
        {...{ type: 'text', inputMode: 'url', placeholder: 'http://localhost:3001/mcp' }}
        {...{ autoComplete: 'off', autoCapitalize: 'off', spellCheck: false, maxLength: 2000 }}
        value={mcp}
        aria-describedby={`${id}-help`}
        onChange={({ target }) => are.setForm({ mcp: target.value })}
      />
      <p className="help" id={`${id}-help`}>
        HTTP, with CORS for this page. stdio and SSE: command line.
      </p>
    </div>
  );
}
