// The code editor: CodeMirror over each textarea with `data-code`, which remains the field of its form. Lists of lines with
// `data-code`, which cannot be edited, get the same colours.
import { closeBrackets, closeBracketsKeymap } from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { python } from "@codemirror/lang-python";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, ensureSyntaxTree, HighlightStyle, indentOnInput, indentUnit, StreamLanguage, syntaxHighlighting } from "@codemirror/language";
import { dockerFile } from "@codemirror/legacy-modes/mode/dockerfile";
import { shell } from "@codemirror/legacy-modes/mode/shell";
import { toml } from "@codemirror/legacy-modes/mode/toml";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from "@codemirror/view";
import { highlightCode, tags } from "@lezer/highlight";

const LANGUAGES = [
  [/\.pyi?$/, python], [/\.json$/, json], [/\.ya?ml$/, yaml],
  [/(^|\/)Dockerfile/, () => StreamLanguage.define(dockerFile)], [/\.sh$/, () => StreamLanguage.define(shell)],
  [/\.toml$/, () => StreamLanguage.define(toml)],
];

// The colours are those of the page's style sheet, light and dark.
const COLOURS = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], class: "tok-word" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], class: "tok-text" },
  { tag: [tags.number, tags.bool, tags.null], class: "tok-value" },
  { tag: [tags.comment, tags.meta], class: "tok-note" },
  { tag: [tags.function(tags.definition(tags.variableName)), tags.definition(tags.className), tags.heading], class: "tok-name" },
]);

// A browser that itself replaces a selection adds inline styles to the new elements, which the page's policy forbids.
const typing = EditorView.domEventHandlers({
  beforeinput(event, view) {
    const { from, to, empty } = view.state.selection.main;
    if (event.inputType !== "insertText" || !event.data || empty || view.composing) return false;
    const insert = () => view.state.update(view.state.replaceSelection(event.data), { userEvent: "input.type", scrollIntoView: true });
    if (!view.state.facet(EditorView.inputHandler).some((handles) => handles(view, from, to, event.data, insert))) view.dispatch(insert());
    event.preventDefault();
    return true;
  },
});

const languageOf = (one) => LANGUAGES.find(([names]) => names.test(one.dataset.code))?.[1];

function edit(field, nonce) {
  const language = languageOf(field);
  if (!language) return; // for prose a plain textarea is better
  const tell = EditorView.updateListener.of((update) => {
    if (!update.docChanged) return;
    field.value = update.state.doc.toString();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const begin = (text) => EditorState.create({
    doc: text,
    extensions: [
      EditorView.cspNonce.of(nonce), typing, lineNumbers(), highlightActiveLineGutter(), history(), drawSelection(), indentOnInput(),
      indentUnit.of("    "), bracketMatching(), closeBrackets(), highlightActiveLine(),
      highlightSelectionMatches(), search({ top: true }), syntaxHighlighting(COLOURS), language(), tell,
      keymap.of([...closeBracketsKeymap, ...defaultKeymap, ...searchKeymap, ...historyKeymap, indentWithTab]),
      EditorView.contentAttributes.of({ tabindex: "0", "aria-label": field.labels[0]?.textContent.trim() || field.getAttribute("aria-label") || "Code" }),
    ],
  });
  const view = new EditorView({ state: begin(field.value) });
  view.dom.style.setProperty("--rows", field.rows);
  field.after(view.dom);
  field.hidden = true;
  field.form?.addEventListener("reset", () => setTimeout(() => view.setState(begin(field.value))));
}

function color(list) {
  const language = languageOf(list);
  if (!language) return;
  const lines = [...list.querySelectorAll("code")];
  const text = lines.map((line) => line.textContent).join("\n");
  const tree = ensureSyntaxTree(EditorState.create({ doc: text, extensions: [language()] }), text.length, 500);
  if (!tree) return; // parsing takes too long: the text stays without colours
  const colored = [[]];
  highlightCode(text, tree, COLOURS, (part, classes) => {
    const piece = Object.assign(document.createElement("span"), { textContent: part, className: classes });
    colored.at(-1).push(classes ? piece : part);
  }, () => colored.push([]));
  lines.forEach((line, at) => line.replaceChildren(...(colored[at] ?? [])));
}

const nonce = document.currentScript.nonce;
document.querySelectorAll("textarea[data-code]").forEach((field) => edit(field, nonce));
document.querySelectorAll("ol[data-code]").forEach(color);
