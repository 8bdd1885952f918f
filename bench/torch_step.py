"""A GRPO step of the lab's model in PyTorch, eager, on the CPU: what bench/torch.bench.ts sets beside the lab's.

Started with a folder (weights.bin: f32 tensors end to end; dump.json: config and where each lies) and a number of threads. Then a
line of JSON in, a line out (marked @@). In a folder with a rule.json the delta rule alone is timed (bench/hybrid.bench.ts). Written as one would write it for speed without a compiler: prompts prefilled once for their
group, a key/value cache that is allocated once, fused attention, logits of trained tokens alone, the adapter folded once a step
(W' = W + U diag(k) Vh) and differentiated through the fold; the gated delta rule of Qwen3.5 in chunks of 64 rows.
"""
import ctypes
import json
import os
import re
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

FUSED = hasattr(F, "scaled_dot_product_attention")


def attend(q, k, v, mask, causal):
    """q [B, H, S, hd], k and v [B, KV, T, hd] -> [B, H, S, hd]; the mask is added to the scores."""
    group = q.shape[1] // k.shape[1]
    if q.shape[2] == 1:  # decoding: the group's heads as rows of one product, so that keys are not repeated
        b, h, _, hd = q.shape
        scores = q.view(b, h // group, group, hd) @ k.transpose(2, 3) / hd**0.5 + mask
        return (scores.softmax(-1) @ v).view(b, h, 1, hd)
    k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
    if FUSED:
        return F.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=causal)
    scores = q @ k.transpose(2, 3) / q.shape[-1] ** 0.5
    if causal:
        mask = torch.full((q.shape[2], q.shape[2]), -1e30).triu(1)
    return (scores + mask).softmax(-1) @ v


def recall(q, k, v, g, beta, state, chunk=64):
    """The gated delta rule. q, k [B, H, T, dk], v [B, H, T, dv], g, beta [B, H, T], state [B, H, dk, dv] -> what is read [B, H, T, dv], state."""
    if q.shape[2] == 1:
        state = state * g.exp()[..., None]
        state = state + k.transpose(2, 3) @ (beta[..., None] * (v - k @ state))
        return q @ state, state
    read = []
    for at in range(0, q.shape[2], chunk):
        q_, k_, v_, g_, beta_ = (x[:, :, at : at + chunk] for x in (q, k, v, g, beta))
        n, decay = q_.shape[2], g_.cumsum(-1)
        keeps = decay.exp()[..., None]
        between = (decay[..., :, None] - decay[..., None, :]).masked_fill(torch.ones(n, n).triu(1).bool(), -torch.inf).exp()
        a = torch.eye(n) + (beta_[..., None] * (k_ @ k_.transpose(2, 3)) * between).tril(-1)
        u = torch.linalg.solve_triangular(a, beta_[..., None] * (v_ - keeps * (k_ @ state)), upper=False)
        read.append(keeps * (q_ @ state) + (q_ @ k_.transpose(2, 3) * between) @ u)
        state = keeps[:, :, -1:] * state + (between[:, :, -1, :, None] * k_).transpose(2, 3) @ u
    return torch.cat(read, 2), state


class Model:
    def __init__(self, folder):
        with open(f"{folder}/dump.json") as file:
            dump = json.load(file)
        c = self.config = dump["config"]
        data = np.fromfile(f"{folder}/weights.bin", dtype=np.float32)
        self.w = {
            name: torch.from_numpy(data[at : at + int(np.prod(shape))].reshape(shape))
            for name, (at, shape) in dump["tensors"].items()
        }
        if c.get("zeroCentredNorms"):
            for name in self.w:
                if name.endswith("norm.weight") and "linear_attn" not in name:
                    self.w[name] = 1 + self.w[name]
        self.modules = dump["modules"]  # [name, offset, r]
        self.types = c.get("layerTypes") or ["full_attention"] * c["layers"]
        turning = c.get("rotaryDim") or c["headDim"]
        half = torch.arange(turning // 2, dtype=torch.float64)
        angle = torch.arange(c["maxPositions"])[:, None] * c["ropeTheta"] ** (-2 * half / turning)
        self.cos, self.sin = angle.cos().float(), angle.sin().float()

    def fold(self, params):
        self.folded = [{} for _ in self.types]  # of each layer, by the Linear's own name
        for name, at, r in self.modules:
            layer, role = int(name.split(".")[2]), name.split(".")[-1]
            w, u, vh = (self.w[f"{name}.{part}"] for part in ("weight", "U", "Vh"))
            self.folded[layer][role] = torch.addmm(w, u, params[at : at + r, None] * vh)

    def norm(self, x, name):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.config["rmsEps"]) * self.w[f"{name}.weight"]

    def turn(self, x, pos):
        """x [B, S, heads, hd], pos [B, S]: the first half of what turns in a head against the second."""
        cos, sin = self.cos[pos].unsqueeze(2), self.sin[pos].unsqueeze(2)
        half = cos.shape[-1]
        a, b, rest = x.split([half, half, x.shape[-1] - 2 * half], -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin, rest], -1)

    def attention(self, h, layer, pos, mask, causal, cache):
        """h [B, S, d] -> [B, S, d]"""
        c, at, w, (b, s, _) = self.config, f"model.layers.{layer}.self_attn", self.folded[layer], h.shape
        split = lambda y: y.view(b, s, -1, c["headDim"])
        q, gate = F.linear(h, w["q_proj"]), None
        if c.get("outputGate"):
            q, gate = q.view(b, s, c["heads"], -1).chunk(2, -1)
            q = q.reshape(b, s, -1)
        q = self.turn(self.norm(split(q), f"{at}.q_norm"), pos).transpose(1, 2)
        k = self.turn(self.norm(split(F.linear(h, w["k_proj"])), f"{at}.k_norm"), pos).transpose(1, 2)
        v = split(F.linear(h, w["v_proj"])).transpose(1, 2)
        if cache is not None:
            keys, values, _, place = cache
            keys[layer][:, :, place : place + s], values[layer][:, :, place : place + s] = k, v
            k, v = keys[layer][:, :, : place + s], values[layer][:, :, : place + s]
        o = attend(q, k, v, mask, causal).transpose(1, 2)
        return F.linear((o if gate is None else o * gate.sigmoid()).reshape(b, s, -1), w["o_proj"])

    def delta(self, h, layer, seen, cache):
        """h [B, S, d] -> [B, S, d]; `seen` [B, S] is false at padding, which writes nothing."""
        at, w, (b, s, _) = f"model.layers.{layer}.linear_attn", self.folded[layer], h.shape
        key_heads, heads, key_dim, value_dim, taps = (
            self.config["delta"][name] for name in ("keyHeads", "valueHeads", "keyDim", "valueDim", "convWidth")
        )
        if seen is not None:
            h = h * seen[..., None]
        m, z = F.linear(h, w["in_proj_qkv"]), F.linear(h, w["in_proj_z"])
        beta = F.linear(h, w["in_proj_b"]).sigmoid().transpose(1, 2)
        g = -self.w[f"{at}.A_log"].exp() * F.softplus(F.linear(h, w["in_proj_a"]) + self.w[f"{at}.dt_bias"])
        states = None if cache is None else cache[2]
        if states is None or layer not in states:
            past, state = torch.zeros(b, taps - 1, m.shape[2]), torch.zeros(b, heads, key_dim, value_dim)
        else:
            past, state = states[layer]
        m = torch.cat([past, m], 1)
        kernel = self.w[f"{at}.conv1d.weight"][:, 0]
        y = F.silu(sum(kernel[:, j] * m[:, j : j + s] for j in range(taps)))
        keys = key_heads * key_dim
        unit = lambda x: x * torch.rsqrt(x.square().sum(-1, keepdim=True) + 1e-6)
        split = lambda x, dim: x.view(b, s, -1, dim).transpose(1, 2)
        q, k = (unit(split(y[..., i * keys : (i + 1) * keys], key_dim)) for i in (0, 1))
        q, k = (x.repeat_interleave(heads // key_heads, 1) for x in (q / key_dim**0.5, k))
        o, state = recall(q, k, split(y[..., 2 * keys :], value_dim), g.transpose(1, 2), beta, state)
        if states is not None:
            states[layer] = (m[:, s:], state)
        o = self.norm(o.transpose(1, 2), f"{at}.norm").reshape(b, s, -1)
        return F.linear(o * F.silu(z), w["out_proj"])

    def hidden(self, ids, pos, mask=None, causal=False, cache=None, seen=None):
        """ids, pos [B, S] -> [B, S, d] after the final norm. A cache is (keys, values, states, place): all layers' keys and values, the linear
        layers' convolution rows and states, and where new keys go."""
        x = F.embedding(ids, self.w["model.embed_tokens.weight"])
        for layer, type in enumerate(self.types):
            at, w = f"model.layers.{layer}", self.folded[layer]
            h = self.norm(x, f"{at}.input_layernorm")
            if type == "linear_attention":
                x = x + self.delta(h, layer, seen, cache)
            else:
                x = x + self.attention(h, layer, pos, mask, causal, cache)
            h = self.norm(x, f"{at}.post_attention_layernorm")
            x = x + F.linear(F.silu(F.linear(h, w["gate_proj"])) * F.linear(h, w["up_proj"]), w["down_proj"])
        return self.norm(x, "model.norm")

    def logits(self, hidden):
        return hidden @ self.w["model.embed_tokens.weight" if self.config["tied"] else "lm_head.weight"].T

    @torch.no_grad()
    def sample(self, prompts, of, lengths):
        """One completion for each entry of `of` (its prompt), as long as `lengths` says; rows that have ended leave when they are a quarter."""
        c, longest = self.config, max(map(len, prompts))
        first = torch.tensor([longest - len(p) for p in prompts])
        ids = torch.tensor([[0] * (longest - len(p)) + p for p in prompts])
        pos = (torch.arange(longest) - first[:, None]).clamp(min=0)
        seen = torch.arange(longest) >= first[:, None]  # left padding is seen by itself alone, so that no row is empty
        mask = (seen[:, None] & torch.ones(longest, longest).tril().bool()) | torch.eye(longest).bool()
        bias = torch.where(mask, 0.0, -1e30)[:, None]
        shape = (c["layers"], len(prompts), c["kvHeads"], longest, c["headDim"])
        keys, values, states = torch.empty(shape), torch.empty(shape), {}
        last = self.hidden(ids, pos, bias, cache=(keys, values, states, 0), seen=seen)[:, -1]
        of, left = torch.tensor(of), torch.tensor(lengths)
        room = torch.empty(c["layers"], len(of), c["kvHeads"], max(lengths), c["headDim"])
        keys, values = (torch.cat([held[:, of], room], 3) for held in (keys, values))
        states = {layer: tuple(held[of] for held in both) for layer, both in states.items()}
        logits, first, at, said = self.logits(last)[of], first[of], torch.arange(len(of)), [[] for _ in lengths]
        for step in range(max(lengths)):
            logp = logits.log_softmax(-1)
            token = torch.multinomial(logp.exp(), 1)
            chosen = logp.gather(1, token)
            for row, id, p in zip(at.tolist(), token[:, 0].tolist(), chosen[:, 0].tolist()):
                if len(said[row]) < lengths[row]:
                    said[row].append((id, p))
            live = left[at] > step + 1
            if live.sum() == 0:
                break
            if live.sum() <= 0.75 * len(at):
                keys, values, token, first, at = keys[:, live], values[:, live], token[live], first[live], at[live]
                states = {layer: tuple(held[live] for held in both) for layer, both in states.items()}
            place = longest + step
            bias = torch.where(torch.arange(place + 1) >= first[:, None], 0.0, -1e30)[:, None, None]
            cache = (keys, values, states, place)
            logits = self.logits(self.hidden(token, (place - first)[:, None], bias, cache=cache)[:, 0])
        return said

    def score(self, prompts, of, completions):
        """Log-probabilities of all completions' tokens, end to end. Padding lies behind, where a causal mask hides it."""
        rows = [prompts[p] + completion for p, completion in zip(of, completions)]
        ids = torch.tensor([row + [0] * (max(map(len, rows)) - len(row)) for row in rows])
        x = self.hidden(ids[:, :-1], torch.arange(ids.shape[1] - 1).expand(len(rows), -1), causal=True)
        spans = [(i, len(prompts[p]) - 1, len(completion)) for i, (p, completion) in enumerate(zip(of, completions))]
        x = torch.cat([x[i, at : at + n] for i, at, n in spans])
        target = torch.tensor([id for completion in completions for id in completion])
        return self.logits(x).log_softmax(-1).gather(1, target[:, None])[:, 0]


def step(model, r):
    """Rollouts of the asked lengths; then score, loss and gradient of the completions that were sent, so that the lab's can be compared."""
    laps, at = {}, [time.perf_counter(), time.process_time()]

    def lap(name):
        now = [time.perf_counter(), time.process_time()]
        laps[name] = [laps.get(name, [0, 0])[i] + 1000 * (now[i] - at[i]) for i in (0, 1)]
        at[:] = now

    params = torch.tensor(r["adapterParams"], requires_grad=True)
    optimizer = torch.optim.Adam([params], lr=r["lr"], betas=(0.9, 0.95), eps=1e-8)
    model.fold(params)
    lap("update")
    lengths = [len(completion) for completion in r["completions"]]
    model.sample(r["prompts"], r["of"], lengths)
    lap("rollout")
    logp = model.score(r["prompts"], r["of"], r["completions"])
    lap("score")
    counts = torch.tensor(lengths)
    advantage = torch.tensor(r["advantages"]).repeat_interleave(counts)
    ratio = (logp - torch.tensor(r["old"])).exp()
    low, high = 1 - r["clipEps"], 1 + r["clipEps"]
    loss = -torch.minimum(ratio * advantage, ratio.clamp(low, high) * advantage).sum() / r["denominator"]
    loss.backward()
    lap("backward")
    gradient = params.grad.clone()
    optimizer.step()
    lap("update")
    return {"laps": laps, "loss": loss.item(), "gradient": gradient.tolist()}


class Rule:
    """Inputs of the gated delta rule alone: qk [T, 2, H, dk], v [T, H, dv], gates [T, H, 2], and the gradient of what is read, [T, H, dv]."""

    def __init__(self, folder):
        self.folder = folder
        with open(f"{folder}/rule.json") as file:
            sizes = json.load(file)
        t, h, dk, dv = (sizes[name] for name in ("tokens", "heads", "keyDim", "valueDim"))
        shapes = [(t, 2, h, dk), (t, h, dv), (t, h, 2), (t, h, dv)]
        parts = np.split(np.fromfile(f"{folder}/rule.bin", np.float32), np.cumsum([np.prod(shape) for shape in shapes])[:-1])
        self.qk, self.v, self.gates, self.dO = (torch.from_numpy(part.reshape(shape)) for part, shape in zip(parts, shapes))

    def time(self, chunk):
        qk, v, gates = (x.clone().requires_grad_() for x in (self.qk, self.v, self.gates))
        heads = lambda x: x.transpose(0, 1)[None]  # [1, H, T, .]
        begun = time.process_time()
        inputs = heads(qk[:, 0]) / qk.shape[-1] ** 0.5, heads(qk[:, 1]), heads(v), heads(gates[..., 0]), heads(gates[..., 1])
        state, read = torch.zeros(1, v.shape[1], qk.shape[-1], v.shape[-1]), []
        for at in range(0, len(v), chunk):
            part, state = recall(*(x[:, :, at : at + chunk] for x in inputs), state, chunk)
            read.append(part)
        o = torch.cat(read, 2)
        middle = time.process_time()
        o.backward(heads(self.dO))
        ended = time.process_time()
        qk.grad.numpy().tofile(f"{self.folder}/gradient.bin")
        return {"forward": 1000 * (middle - begun), "backward": 1000 * (ended - middle)}


def algebra():
    """What multiplies here (bench/torch-algebra.ts): a product is made first, so that its library is loaded."""
    torch.ones(64, 64) @ torch.ones(64, 64)
    config = torch.__config__.show()
    find = lambda pattern: (re.search(pattern, config) or [None, "unknown"])[1]
    try:
        with open("/proc/self/maps") as maps:
            paths = {line.split()[-1] for line in maps}
    except OSError:
        paths = set()
    libraries = sorted(path for path in paths if re.search(r"blas|mkl|blis|atlas", path, re.I) and "numpy" not in path)
    core = None
    for path in libraries:
        try:
            corename = ctypes.CDLL(path).openblas_get_corename
            corename.restype = ctypes.c_char_p
            core = corename().decode()
        except (OSError, AttributeError):
            pass
    capability, build = find(r"CPU capability usage: (\S+)"), find(r"BLAS_INFO=(\w+)")
    return {"version": torch.__version__, "build": build, "capability": capability, "libraries": libraries, "core": core}


def main():
    torch.set_num_threads(int(sys.argv[2]))
    torch.manual_seed(0)
    say = lambda value: print("@@" + json.dumps(value), flush=True)
    is_rule = os.path.exists(f"{sys.argv[1]}/rule.json")
    model = Rule(sys.argv[1]) if is_rule else Model(sys.argv[1])
    say(algebra())
    for line in sys.stdin:
        asked = json.loads(line)
        say(model.time(asked["chunk"]) if is_rule else step(model, asked))


main()
