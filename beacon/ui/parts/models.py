"""The settings page's models: who is asked, with which model, within which budget, and what it has cost."""

from typing import Any

import streamlit as st

from beacon.ui.session import attempt, call
from beacon.ui.text import count, plain

CHOICES = {"auto": "Whichever is set up", "none": "None: work offline"}
BUDGETS = (("run", "A run"), ("conversation", "A conversation"), ("day", "A day, all together"))
SHOWN = 8  # rows of a table of spending


def draw() -> None:
    """The whole tab."""
    found = call("provider_list")
    if found["hint"]:
        st.info(plain(found["hint"]), icon=":material/key_off:")
    if found["problem"]:
        st.error(plain(found["problem"]), icon=":material/error:")
    for one in found["models"]:
        row(one, f"{one['fast_model']} · {one['strong_model']}" if one["used"] and one["fast_model"] else "")
    _keys(found["key_files"])
    _routing(found)
    _spent()
    _prices(found["prices"])


def row(one: dict[str, Any], detail: str = "") -> None:
    """A provider or engine: its state, what it uses, and a button that asks it."""
    left, right = st.columns([5, 1], vertical_alignment="center")
    needed = f":gray[set `{one['variable']}`]" if not one["present"] else ""
    left.markdown(" ".join(filter(None, [f"**{plain(one['label'])}**", _badge(one), f":gray[{plain(detail)}]" if detail else "", needed])))
    key = f"tested_{one['name']}"
    if one["used"] and right.button("Test", key=f"test_{one['name']}", icon=":material/bolt:", width="stretch"):
        with st.spinner(f"Asking {one['label']}…"):
            st.session_state[key] = attempt("provider_test", name=one["name"])
    if told := st.session_state.get(key):
        icon = ":green[:material/check:]" if told["ok"] else ":red[:material/close:]"
        st.markdown(f"{icon} :gray[{plain(told['detail'])} {told['ms']} ms]")


def _badge(one: dict[str, Any]) -> str:
    if one["used"]:
        return (
            ":green-badge[:material/check: Key present, in use]"
            if one["variable"].endswith("_KEY")
            else ":green-badge[:material/check: In use]"
        )
    if not one["present"]:
        return ":gray-badge[:material/key_off: Not set up]"
    return ":blue-badge[:material/key: Key present]" if one["variable"] else ":gray-badge[Needs no key]"


def _keys(files: list[str]) -> None:
    places = " or ".join(f"`{path}`" for path in files)
    st.caption(
        f"Keys come from the environment{f', {places}' if places else ''}; they are never stored, shown, logged or exported. "
        "After a change start Beacon again."
    )


def _routing(found: dict[str, Any]) -> None:
    st.markdown("#### Who answers")
    known, budgets, names = found["routing"], found["budgets"], [one["name"] for one in found["models"]]
    labels = {**CHOICES, **{one["name"]: one["label"] for one in found["models"]}}
    options = ["auto", *names, "none"]
    with st.form("models", border=False):
        left, middle, right = st.columns(3)
        chosen = known["provider"] if known["provider"] in options else "none"
        provider = left.selectbox("Provider", options, options.index(chosen), format_func=lambda name: labels[name], key="provider")
        fast = middle.text_input("Fast model", known["fast_model"], key="fast_model", placeholder="the provider’s default")
        strong = right.text_input("Strong model", known["strong_model"], key="strong_model", placeholder="the provider’s default")
        fallback = left.text_input(
            "Asked where it cannot be had", known["fallback_providers"], key="fallback_providers", help="auto, none, or names with commas."
        )
        address = middle.text_input(
            "Your own server", _local_address(), key="local_base_url", placeholder="http://127.0.0.1:11434/v1",
            help="Ollama, llama.cpp, vLLM, LM Studio: any server that speaks OpenAI’s interface.",
        )  # fmt: skip
        st.markdown("**Budgets** :gray[checked before each call; what would pass one is not asked]")
        values = _budget_fields(budgets)
        pressed = st.form_submit_button("Save", type="primary", icon=":material/check:")
    if pressed:
        words = {
            "provider": provider,
            "fast_model": fast,
            "strong_model": strong,
            "fallback_providers": fallback,
            "local_base_url": address,
        }
        save({**{name: value.strip() or None for name, value in words.items()}, **values})


def _local_address() -> str:
    from beacon.ui.session import beacon

    return beacon().workspace.settings.local_base_url


def _budget_fields(budgets: dict[str, Any]) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for column, (scope, label) in zip(st.columns(len(BUDGETS)), BUDGETS, strict=True):
        usd, tokens = f"{scope}_budget_usd", f"{scope}_budget_tokens"
        values[usd] = float(column.number_input(f"{label}, $", 0.0, 10_000.0, float(budgets[usd]), 0.5, key=usd))
        values[tokens] = column.number_input(
            "tokens", 0, None, budgets[tokens], 1000, key=tokens, placeholder="no limit in tokens", label_visibility="collapsed"
        )
    return values


def save(values: dict[str, Any]) -> None:
    """Keeps the settings, and says where the environment has the last word."""
    kept = attempt("settings_set", values=values)
    if kept is None:
        return
    if kept["overridden"]:
        st.warning(f"Kept, but the environment says otherwise for {', '.join(map(plain, kept['overridden']))}: its variable wins.")
    else:
        st.toast("Saved.", icon=":material/check:")
        st.rerun()


def _spent() -> None:
    found = call("spend_report")
    st.markdown("#### Spent")
    today, total = found["today"], found["total"]
    share = min(1.0, today["spent_usd"] / today["limit_usd"]) if today["limit_usd"] else 1.0
    st.progress(share, f"Today ${today['spent_usd']:.4f} of ${today['limit_usd']:.2f}")
    if not total["calls"]:
        st.caption("No model has been asked yet.")
        return
    held = f" · {count(total['held'], 'call')} under way or cut off, counted in full" if total["held"] else ""
    cached = f" · {total['cached_tokens']:,} tokens from the provider’s cache" if total["cached_tokens"] else ""
    st.caption(f"${total['cost_usd']:.4f} in all · {count(total['calls'], 'call')}{cached}{held}")
    left, right = st.columns(2)
    _table(left, "Day", found["days"])
    _table(left, "Task", found["tasks"])
    _table(right, "Topic", found["topics"])
    _table(right, "Run", found["runs"])


def _table(box: Any, heading: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        shown = [
            {heading: (one.get("title") or one["name"]).replace("_", " "), "$": round(one["cost_usd"], 4), "Calls": one["calls"]}
            for one in rows[:SHOWN]
        ]
        box.dataframe(shown, hide_index=True, key=f"spend_{heading}")


def _prices(prices: dict[str, Any]) -> None:
    with st.expander(f"Prices as of {prices['as_of']}", icon=":material/sell:"):
        st.caption("Dollars per million tokens. Your own, for other models or other terms, stand in `prices.json` in the data folder.")
        rows = [
            {"Model": name, "Input": one["input"], "Output": one["output"], "Cached input": one.get("cached")}
            for name, one in prices["models"].items()
        ]
        st.dataframe(rows, hide_index=True, key="prices")
