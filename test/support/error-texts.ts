import ts from "typescript";

/** Finds what a name stands for, also if it is imported. */
export const symbolsIn = (checker: ts.TypeChecker) => (node: ts.Node) => {
  const symbol = checker.getSymbolAtLocation(node);
  return symbol !== undefined && symbol.flags & ts.SymbolFlags.Alias
    ? checker.getAliasedSymbol(symbol)
    : symbol;
};

/** The parts of an error. */
const PARTS: readonly string[] = ["what", "why", "facts", "advice", "codeAdvice"];

/**
 * The texts from which the code makes the messages of its errors, by file. `{…}` stands for a value. A text has at least two
 * words: names alone are left out.
 */
export function findErrorTexts(program: ts.Program, files: readonly string[]): Map<string, string[]> {
  const checker = program.getTypeChecker();
  const sources = files.map((file) => program.getSourceFile(file)).filter((source) => source !== undefined);
  const texts = new Map(files.map((file) => [file, new Set<string>()]));
  const seen = new Set<ts.Node>();

  const isError = (type: ts.Type): boolean =>
    Boolean(type.flags & ts.TypeFlags.Never) ||
    ["name", "message", "stack"].every((name) => type.getProperty(name) !== undefined);
  const symbolOf = symbolsIn(checker);

  /** What is assigned or added to a variable after its declaration. */
  const later = new Map<ts.Symbol, ts.Node[]>();
  const findLater = (node: ts.Node): void => {
    const target =
      ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.EqualsToken
        ? node.left
        : ts.isCallExpression(node) &&
            ts.isPropertyAccessExpression(node.expression) &&
            node.expression.name.text === "push"
          ? node.expression.expression
          : undefined;
    const symbol = target !== undefined && ts.isIdentifier(target) ? symbolOf(target) : undefined;
    if (symbol !== undefined) later.set(symbol, [...(later.get(symbol) ?? []), node]);
    node.forEachChild(findLater);
  };
  sources.forEach(findLater);

  /** Adds every text that an expression may become a part of. */
  const collect = (node: ts.Node): void => {
    if (seen.has(node)) return;
    seen.add(node);
    const list = texts.get(node.getSourceFile().fileName);
    if (list === undefined) return;
    const text = textOf(node);
    if (text !== undefined) {
      if (hasWords(text)) list.add(text);
      valuesIn(node).forEach(collect);
    } else if (ts.isIdentifier(node) || ts.isPropertyAccessExpression(node)) {
      collectValue(symbolOf(node));
    } else if (ts.isShorthandPropertyAssignment(node)) {
      collectValue(checker.getShorthandAssignmentValueSymbol(node));
    } else if (ts.isElementAccessExpression(node)) {
      collect(node.expression);
    } else if (ts.isCallExpression(node)) {
      node.arguments.forEach(collect);
      if (ts.isPropertyAccessExpression(node.expression)) collect(node.expression.expression);
      const declaration = checker.getResolvedSignature(node)?.declaration;
      if (declaration !== undefined && "body" in declaration && declaration.body !== undefined)
        returned(declaration.body);
    } else if (ts.isBinaryExpression(node)) {
      if (DEFAULTS.includes(node.operatorToken.kind)) node.forEachChild(collect);
    } else if (ts.isConditionalExpression(node)) {
      collect(node.whenTrue);
      collect(node.whenFalse);
    } else if (ts.isPropertyAssignment(node)) {
      if (!DESCRIBING.includes(node.name.getText())) collect(node.initializer);
    } else if (!ts.isFunctionLike(node)) {
      node.forEachChild(collect);
    }
  };
  const collectValue = (symbol: ts.Symbol | undefined): void => {
    const declaration = symbol?.valueDeclaration;
    const variable = declaration && ts.findAncestor(declaration, ts.isVariableDeclaration);
    const isValue =
      declaration === variable || (declaration !== undefined && ts.isBindingElement(declaration));
    if (symbol === undefined || variable?.initializer === undefined || !isValue) return;
    collect(variable.initializer);
    for (const node of later.get(symbol) ?? [])
      if (ts.isCallExpression(node)) node.arguments.forEach(collect);
      else if (ts.isBinaryExpression(node)) collect(node.right);
  };
  const returned = (node: ts.Node): void => {
    if (ts.isReturnStatement(node)) node.forEachChild(collect);
    else if (ts.isExpression(node)) collect(node);
    else node.forEachChild((child) => (ts.isFunctionLike(child) ? undefined : returned(child)));
  };

  const visit = (node: ts.Node): void => {
    const isSuper = ts.isCallExpression(node) && node.expression.kind === ts.SyntaxKind.SuperKeyword;
    const isMade = isSuper || ts.isNewExpression(node) || ts.isCallExpression(node);
    const isExit = ts.isCallExpression(node) && node.expression.getText() === "process.exit";
    if (isMade && !isExit && isError(checker.getTypeAtLocation(isSuper ? node.expression : node)))
      node.arguments?.forEach(collect);
    if (ts.isPropertyAssignment(node) || ts.isShorthandPropertyAssignment(node))
      if (PARTS.includes(node.name.getText())) collect(node);
    node.forEachChild(visit);
  };
  sources.forEach(visit);
  return new Map(
    [...texts]
      .map(([file, found]) => [file, [...found].sort()] as const)
      .filter(([, found]) => found.length > 0),
  );
}

const DEFAULTS: readonly ts.SyntaxKind[] = [ts.SyntaxKind.QuestionQuestionToken, ts.SyntaxKind.BarBarToken];

/** Not a part of a message, although it is beside one. */
const DESCRIBING: readonly string[] = ["route", "summary", "meaning"];

/** A text that is written out, from one or more pieces, with `{…}` for each value. */
function textOf(node: ts.Node): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isTemplateExpression(node)) {
    const parts = node.templateSpans.map(
      ({ expression, literal }) => `{${nameOf(expression)}}${literal.text}`,
    );
    return `${node.head.text}${parts.join("")}`;
  }
  if (!isSum(node)) return undefined;
  const [left, right] = [textOf(node.left), textOf(node.right)];
  return left === undefined || right === undefined ? undefined : left + right;
}

function valuesIn(node: ts.Node): readonly ts.Node[] {
  if (ts.isTemplateExpression(node)) return node.templateSpans.map(({ expression }) => expression);
  return isSum(node) ? [...valuesIn(node.left), ...valuesIn(node.right)] : [];
}

function isSum(node: ts.Node): node is ts.BinaryExpression {
  return ts.isBinaryExpression(node) && node.operatorToken.kind === ts.SyntaxKind.PlusToken;
}

/** Whether a text has two words, values included, one of which is not a value. The name of a route is no text. */
function hasWords(text: string): boolean {
  if (/^[A-Z]+ \//.test(text)) return false;
  return /\S\s+\S/.test(text.trim()) && /\p{Letter}{2}/u.test(text.replaceAll(/\{[^}]*\}/g, ""));
}

/** A short name of a value: `task.task_id` is `task_id`. */
function nameOf(node: ts.Expression): string {
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isIdentifier(node)) return node.text;
  return ts.isCallExpression(node) && ts.isIdentifier(node.expression) ? node.expression.text : "…";
}
