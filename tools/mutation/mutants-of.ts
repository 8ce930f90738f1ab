import ts from "typescript";
import type { Mutant } from "./mutant";

interface Change {
  readonly kind: string;
  readonly node: ts.Node;
  readonly after: string;
}

/**
 * Every mutant of a source text, in the order of the text: operators, numbers, booleans and signs
 * swapped, conditions forced both ways, `Math.max`/`min` and `floor`/`ceil` exchanged, statements
 * that do something, early returns and throws left out. Types are not touched.
 */
export function mutantsOf(path: string, text: string): readonly Mutant[] {
  const source = ts.createSourceFile(path, text, ts.ScriptTarget.ES2022, true);
  const mutants: Mutant[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isInterfaceDeclaration(node) || ts.isImportDeclaration(node)) {
      return;
    }
    for (const change of changesOf(node, source)) mutants.push(asMutant(change, source));
    ts.forEachChild(node, visit);
  };
  visit(source);
  return mutants.sort((a, b) => a.start - b.start);
}

function asMutant({ kind, node, after }: Change, source: ts.SourceFile): Mutant {
  const start = node.getStart(source);
  const { line, character } = source.getLineAndCharacterOfPosition(start);
  const place = { line: line + 1, column: character + 1, start, end: node.getEnd() };
  return { kind, ...place, before: node.getText(source), after };
}

function changesOf(node: ts.Node, source: ts.SourceFile): readonly Change[] {
  if (ts.isBinaryExpression(node)) return operatorChanges(node, source);
  if (ts.isNumericLiteral(node)) return numberChanges(node);
  if (ts.isPrefixUnaryExpression(node)) return signChanges(node, source);
  if (ts.isPostfixUnaryExpression(node)) return stepChanges(node, source);
  if (ts.isPropertyAccessExpression(node)) return roundingChanges(node, source);
  if (node.kind === ts.SyntaxKind.TrueKeyword) return [{ kind: "boolean", node, after: "false" }];
  if (node.kind === ts.SyntaxKind.FalseKeyword) return [{ kind: "boolean", node, after: "true" }];
  if (isLeftOut(node)) return [{ kind: "statement", node, after: ";" }];
  return conditionChanges(node);
}

/** What is written instead of an operator. */
const operators: Readonly<Record<string, readonly string[]>> = {
  "<": ["<=", ">="],
  "<=": ["<", ">"],
  ">": [">=", "<="],
  ">=": [">", "<"],
  "===": ["!=="],
  "!==": ["==="],
  "+": ["-"],
  "-": ["+"],
  "*": ["/"],
  "/": ["*"],
  "%": ["*"],
  "**": ["*"],
  "&&": ["||"],
  "||": ["&&"],
  "+=": ["-=", "="],
  "-=": ["+=", "="],
  "*=": ["/="],
  "/=": ["*="],
  "??=": ["="],
};

function operatorChanges(node: ts.BinaryExpression, source: ts.SourceFile): readonly Change[] {
  const { left, operatorToken, right } = node;
  if (operatorToken.kind === ts.SyntaxKind.QuestionQuestionToken) {
    return [
      { kind: "operand", node, after: left.getText(source) },
      { kind: "operand", node, after: right.getText(source) },
    ];
  }
  const others = operators[operatorToken.getText(source)] ?? [];
  return others.map((after) => ({ kind: "operator", node: operatorToken, after }));
}

function numberChanges(node: ts.NumericLiteral): readonly Change[] {
  if (ts.isPropertyAssignment(node.parent) && node.parent.name === node) return [];
  const value = Number(node.text);
  return [value + 1, value - 1].map((other) => ({
    kind: "number",
    node,
    after: other < 0 ? `(${other})` : String(other),
  }));
}

function signChanges(node: ts.PrefixUnaryExpression, source: ts.SourceFile): readonly Change[] {
  const operand = node.operand.getText(source);
  switch (node.operator) {
    case ts.SyntaxKind.MinusToken:
    case ts.SyntaxKind.ExclamationToken:
      return [{ kind: "sign", node, after: operand }];
    case ts.SyntaxKind.PlusPlusToken:
      return [{ kind: "step", node, after: `--${operand}` }];
    case ts.SyntaxKind.MinusMinusToken:
      return [{ kind: "step", node, after: `++${operand}` }];
    default:
      return [];
  }
}

function stepChanges(node: ts.PostfixUnaryExpression, source: ts.SourceFile): readonly Change[] {
  const other = node.operator === ts.SyntaxKind.PlusPlusToken ? "--" : "++";
  return [{ kind: "step", node, after: `${node.operand.getText(source)}${other}` }];
}

const roundings: Readonly<Record<string, string>> = {
  "Math.max": "Math.min",
  "Math.min": "Math.max",
  "Math.floor": "Math.ceil",
  "Math.ceil": "Math.floor",
  "Math.trunc": "Math.ceil",
  "Math.round": "Math.floor",
};

function roundingChanges(
  node: ts.PropertyAccessExpression,
  source: ts.SourceFile,
): readonly Change[] {
  const after = roundings[node.getText(source)];
  return after === undefined ? [] : [{ kind: "rounding", node, after }];
}

function conditionChanges(node: ts.Node): readonly Change[] {
  const condition = conditionOf(node);
  if (condition === undefined) return [];
  const forced = ["true", "false"].map((after) => ({ kind: "condition", node: condition, after }));
  return forced.filter(({ after }) => after !== condition.getText());
}

function conditionOf(node: ts.Node): ts.Expression | undefined {
  if (ts.isIfStatement(node) || ts.isWhileStatement(node)) return node.expression;
  if (ts.isConditionalExpression(node) || ts.isForStatement(node)) return node.condition;
  return undefined;
}

/** Statements whose absence is a mistake: those that do something, and those that leave early. */
function isLeftOut(node: ts.Node): boolean {
  if (ts.isExpressionStatement(node) || ts.isThrowStatement(node)) return true;
  if (ts.isContinueStatement(node) || ts.isBreakStatement(node)) return true;
  return ts.isReturnStatement(node) && !isLastOfFunction(node);
}

function isLastOfFunction(node: ts.ReturnStatement): boolean {
  const block = node.parent;
  if (!ts.isBlock(block) || block.statements.at(-1) !== node) return false;
  return ts.isFunctionLike(block.parent);
}
