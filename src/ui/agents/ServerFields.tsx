// Fields for an agent's servers: the address of its model's server with the model's name and a key, and the address of a server with
// additional tools (MCP). They are stored only in this tab's memory.
import { TextField } from '../parts/TextField.tsx';
import { are, useAre } from './use-are.ts';

const AS_TYPED = { autoCapitalize: 'off', spellCheck: false };

export function ServerFields() {
  const server = useAre((state) => state.form.server);
  const set = (change: Partial<typeof server>) => are.setForm({ server: { ...server, ...change } });
  return (
    <>
      <TextField
        label="Server’s address"
        inputMode="url"
        placeholder="http://localhost:8000/v1"
        help="OpenAI-compatible."
        value={server.base}
        onChange={(base) => set({ base })}
        {...AS_TYPED}
      />
      <TextField
        label="Model’s name there"
        help="Its name on the server."
        value={server.model}
        onChange={(model) => set({ model })}
        {...AS_TYPED}
      />
      <TextField
        label="Key"
        type="password"
        help="If the server needs one. Stays in this tab’s memory."
        value={server.key}
        onChange={(key) => set({ key })}
        {...AS_TYPED}
      />
    </>
  );
}

export function ToolServerField() {
  const mcp = useAre((state) => state.form.mcp);
  return (
    <TextField
      label="Tools of an MCP server"
      inputMode="url"
      placeholder="http://localhost:3001/mcp"
      maxLength={2000}
      help="HTTP, with CORS for this page. stdio and SSE: command line."
      value={mcp}
      onChange={(mcp) => are.setForm({ mcp })}
      {...AS_TYPED}
    />
  );
}
