import ts from "typescript";
import { symbolsIn } from "./error-texts.js";

/** A place in the code that depends on the wording of a message. */
export interface MessageRead {
  file: string;
  /** The named function around it. */
  within: string;
  line: number;
  code: string;
}

/** The names of properties that hold text for people. */
const PROSE: readonly string[] = ["message", "what", "why", "facts", "advice", "codeAdvice"];

/** The methods of a text that depend on what it says, or take a part of it. */
const READING_METHODS =
  /^(?:at|char.*|codePointAt|endsWith|includes|(?:last)?indexOf|localeCompare|match(?:All)?|replace(?:All)?|search|slice|split|startsWith|substr(?:ing)?|to(?:Locale)?(?:Lower|Upper)Case|trim.*)$/;

/** The methods of others that depend on what a text says, if it is their argument. */
const READING_WITH =
  /^(?:endsWith|exec|get|has|includes|(?:last)?indexOf|match(?:All)?|search|split|startsWith|test)$/;

/**
 * Finds the code that reads messages: that searches, splits, changes or compares the text of an error, also after a variable,
 * an argument, the result of a function or a template has taken it along. A text in another property is not followed.
 *
 * @param isCleaner - whether the functions of a file may change any text, whatever it says: their result is still a message
 */
export function findMessageReads(
  program: ts.Program,
  files: readonly string[],
  isCleaner: (file: string) => boolean,
): MessageRead[] {
  const checker = program.getTypeChecker();
  const sources = files
    .filter((file) => !isCleaner(file))
    .map((file) => program.getSourceFile(file))
    .filter((source) => source !== undefined);
  /** The variables, parameters and functions that hold or return prose. */
  const tainted = new Set<ts.Symbol>();

  const symbolOf = symbolsIn(checker);
  const isTainted = (node: ts.Node | undefined): boolean => {
    if (node === undefined) return false;
    if (
      ts.isParenthesizedExpression(node) ||
      ts.isAsExpression(node) ||
      ts.isAwaitExpression(node) ||
      ts.isNonNullExpression(node)
    )
      return isTainted(node.expression);
    if (ts.isPropertyAccessExpression(node)) return isText(node) && PROSE.includes(node.name.text);
    if (ts.isElementAccessExpression(node))
      return ts.isStringLiteral(node.argumentExpression) && PROSE.includes(node.argumentExpression.text);
    if (ts.isIdentifier(node)) {
      const symbol = symbolOf(node);
      return symbol !== undefined && tainted.has(symbol);
    }
    if (ts.isTemplateExpression(node))
      return node.templateSpans.some(({ expression }) => isTainted(expression));
    if (ts.isConditionalExpression(node)) return isTainted(node.whenTrue) || isTainted(node.whenFalse);
    if (ts.isBinaryExpression(node))
      return JOINING.includes(node.operatorToken.kind) && (isTainted(node.left) || isTainted(node.right));
    if (ts.isCallExpression(node)) {
      if (ts.isPropertyAccessExpression(node.expression) && READING_METHODS.test(node.expression.name.text))
        return isTainted(node.expression.expression);
      if (ts.isIdentifier(node.expression) && node.expression.text === "String")
        return isTainted(node.arguments[0]);
      const callee = calleeOf(node);
      if (isCleaning(callee)) return node.arguments.some(isTainted);
      return callee !== undefined && tainted.has(callee);
    }
    return false;
  };
  /** Whether a property is a text, as opposed to a function or an object of the same name. */
  const isText = (node: ts.Expression) => {
    const type = checker.getTypeAtLocation(node);
    const types = type.isUnion() ? type.types : [type];
    return types.some(
      ({ flags }) => flags & (ts.TypeFlags.StringLike | ts.TypeFlags.Any | ts.TypeFlags.Unknown),
    );
  };
  const calleeOf = (node: ts.CallExpression) => {
    const { expression } = node;
    return symbolOf(ts.isPropertyAccessExpression(expression) ? expression.name : expression);
  };
  const isCleaning = (symbol: ts.Symbol | undefined) =>
    symbol?.declarations?.some((declaration) => isCleaner(declaration.getSourceFile().fileName)) === true;
  const functionOf = (symbol: ts.Symbol | undefined): ts.SignatureDeclaration | undefined => {
    const declaration = symbol?.valueDeclaration;
    if (declaration === undefined) return undefined;
    if (ts.isFunctionLike(declaration)) return declaration;
    const value =
      ts.isVariableDeclaration(declaration) || ts.isPropertyAssignment(declaration)
        ? declaration.initializer
        : undefined;
    return value !== undefined && ts.isFunctionLike(value) ? value : undefined;
  };
  const taint = (node: ts.Node) => {
    const symbol = symbolOf(node);
    if (symbol !== undefined) tainted.add(symbol);
  };
  /** The names that a function is called by. */
  const taintFunction = (node: ts.SignatureDeclaration) => {
    if (node.name !== undefined) taint(node.name);
    else if (ts.isVariableDeclaration(node.parent) || ts.isPropertyAssignment(node.parent))
      taint(node.parent.name);
  };

  const spread = (node: ts.Node): void => {
    if (ts.isBindingElement(node) && ts.isIdentifier(node.name)) {
      const name = node.propertyName ?? node.name;
      if (ts.isIdentifier(name) && PROSE.includes(name.text) && isText(node.name)) taint(node.name);
    } else if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && isTainted(node.initializer)) {
      taint(node.name);
    } else if (
      ts.isBinaryExpression(node) &&
      ASSIGNING.includes(node.operatorToken.kind) &&
      isTainted(node.right)
    ) {
      if (ts.isIdentifier(node.left)) taint(node.left);
    } else if (ts.isCallExpression(node)) {
      const parameters = functionOf(calleeOf(node))?.parameters ?? [];
      node.arguments.forEach((argument, index) => {
        const parameter = parameters[index]?.name;
        if (parameter !== undefined && ts.isIdentifier(parameter) && isTainted(argument)) taint(parameter);
      });
    } else if (ts.isReturnStatement(node) && isTainted(node.expression)) {
      const owner = ts.findAncestor(node, ts.isFunctionLike);
      if (owner !== undefined) taintFunction(owner);
    } else if (ts.isArrowFunction(node) && isTainted(node.body)) {
      taintFunction(node);
    }
    node.forEachChild(spread);
  };
  for (let size = -1; size !== tainted.size; ) {
    size = tainted.size;
    sources.forEach(spread);
  }

  const isRead = (node: ts.Node): boolean => {
    if (ts.isCallExpression(node) && ts.isPropertyAccessExpression(node.expression)) {
      const { expression: owner, name } = node.expression;
      if (READING_METHODS.test(name.text) && isTainted(owner)) return true;
      return READING_WITH.test(name.text) && isTainted(node.arguments[0]);
    }
    if (ts.isBinaryExpression(node) && COMPARING.includes(node.operatorToken.kind)) {
      const { left, right } = node;
      return (isTainted(left) && !isNothing(right)) || (isTainted(right) && !isNothing(left));
    }
    if (ts.isElementAccessExpression(node)) return isTainted(node.argumentExpression);
    return ts.isSwitchStatement(node) && isTainted(node.expression);
  };
  const reads: MessageRead[] = [];
  for (const source of sources) {
    const find = (node: ts.Node): void => {
      if (isRead(node))
        reads.push({
          file: source.fileName,
          within: functionAround(node),
          line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
          code: node.getText().replaceAll(/\s+/g, " "),
        });
      node.forEachChild(find);
    };
    find(source);
  }
  return reads;
}

const JOINING = [
  ts.SyntaxKind.PlusToken,
  ts.SyntaxKind.BarBarToken,
  ts.SyntaxKind.QuestionQuestionToken,
  ts.SyntaxKind.AmpersandAmpersandToken,
];
const ASSIGNING = [
  ts.SyntaxKind.EqualsToken,
  ts.SyntaxKind.PlusEqualsToken,
  ts.SyntaxKind.QuestionQuestionEqualsToken,
];
const COMPARING = [
  ts.SyntaxKind.EqualsEqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsEqualsToken,
  ts.SyntaxKind.EqualsEqualsToken,
  ts.SyntaxKind.ExclamationEqualsToken,
];

/** `null`, `undefined`, `""` and what `typeof` returns say nothing about the wording. */
function isNothing(node: ts.Expression): boolean {
  return (
    node.kind === ts.SyntaxKind.NullKeyword ||
    (ts.isIdentifier(node) && node.text === "undefined") ||
    (ts.isStringLiteral(node) && node.text === "")
  );
}

function functionAround(node: ts.Node): string {
  for (let outer: ts.Node | undefined = node.parent; outer !== undefined; outer = outer.parent) {
    if (ts.isFunctionLike(outer) && outer.name !== undefined) return outer.name.getText();
    if (
      ts.isVariableDeclaration(outer) &&
      outer.initializer !== undefined &&
      ts.isArrowFunction(outer.initializer)
    )
      return outer.name.getText();
  }
  return "";
}
