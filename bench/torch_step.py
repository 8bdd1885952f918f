"""A GRPO step of the lab's model in PyTorch, eager, on the CPU: what bench/torch.bench.ts sets beside the lab's.

Started with a folder (weights.bin: f32 tensors end to end; dump.json: config and where each lies) and a number of threads. Then a
line of JSON in, a line out (marked @@). Written as one would write it for speed without a compiler: prompts prefilled once for their
group, a key/value cache that is allocated once, fused attention, logits of trained tokens alone, the adapter folded once a step
(W' = W + U diag(k) Vh) and differentiated through the fold.
"""
import ctypes
import json
import re
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F

FUSED = hasattr(F, "scaled_dot_product_attention")
LINEARS = {
    "q_proj": "self_attn", "k_proj": "self_attn", "v_proj": "self_attn", "o_proj": "self_attn",
    "gate_proj": "mlp", "up_proj": "mlp", "down_proj": "mlp",
}


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
        self.modules = dump["modules"]  # [name, offset, r]
        half = torch.arange(c["headDim"] // 2, dtype=torch.float64)
        angle = torch.arange(c["maxPositions"])[:, None] * c["ropeTheta"] ** (-2 * half / c["headDim"])
        self.cos, self.sin = angle.cos().float(), angle.sin().float()

    def fold(self, params):
        self.folded = {
            name: torch.addmm(self.w[f"{name}.weight"], self.w[f"{name}.U"], params[at : at + r, None] * self.w[f"{name}.Vh"])
            for name, at, r in self.modules
        }

    def norm(self, x, name):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + self.config["rmsEps"]) * self.w[f"{name}.weight"]

    def turn(self, x, pos):
        """x [B, S, heads, hd], pos [B, S]: the first half of a head against the second."""
        cos, sin = self.cos[pos].unsqueeze(2), self.sin[pos].unsqueeze(2)
        a, b = x.chunk(2, -1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], -1)

    def hidden(self, ids, pos, mask=None, causal=False, cache=None):
        """ids, pos [B, S] -> [B, S, d] after the final norm. A cache is (keys, values, place): all layers' keys and values, and where new ones go."""
        c, (b, s) = self.config, ids.shape
        x = F.embedding(ids, self.w["model.embed_tokens.weight"])
        for layer in range(c["layers"]):
            at = f"model.layers.{layer}"
            w = {role: self.folded[f"{at}.{part}.{role}"] for role, part in LINEARS.items()}
            h = self.norm(x, f"{at}.input_layernorm")
            split = lambda y: y.view(b, s, -1, c["headDim"])
            q = self.turn(self.norm(split(F.linear(h, w["q_proj"])), f"{at}.self_attn.q_norm"), pos).transpose(1, 2)
            k = self.turn(self.norm(split(F.linear(h, w["k_proj"])), f"{at}.self_attn.k_norm"), pos).transpose(1, 2)
            v = split(F.linear(h, w["v_proj"])).transpose(1, 2)
            if cache is not None:
                keys, values, place = cache
                keys[layer][:, :, place : place + s], values[layer][:, :, place : place + s] = k, v
                k, v = keys[layer][:, :, : place + s], values[layer][:, :, : place + s]
            o = attend(q, k, v, mask, causal).transpose(1, 2).reshape(b, s, -1)
            x = x + F.linear(o, w["o_proj"])
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
        keys, values = torch.empty(shape), torch.empty(shape)
        last = self.hidden(ids, pos, bias, cache=(keys, values, 0))[:, -1]
        of, left = torch.tensor(of), torch.tensor(lengths)
        room = torch.empty(c["layers"], len(of), c["kvHeads"], max(lengths), c["headDim"])
        keys, values = (torch.cat([held[:, of], room], 3) for held in (keys, values))
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
            place = longest + step
            bias = torch.where(torch.arange(place + 1) >= first[:, None], 0.0, -1e30)[:, None, None]
            logits = self.logits(self.hidden(token, (place - first)[:, None], bias, cache=(keys, values, place))[:, 0])
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
    model = Model(sys.argv[1])
    say = lambda value: print("@@" + json.dumps(value), flush=True)
    say(algebra())
    for line in sys.stdin:
        say(step(model, json.loads(line)))


main()
