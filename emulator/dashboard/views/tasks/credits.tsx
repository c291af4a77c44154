import { formatCount } from "../../parts/format.js";
import { isFailedTask } from "../own.js";

/** What a task costs: nothing, once it is refunded. */
export function Credits(props: {
  task: { status: string; credits_cost: number };
  format?(credits: number): string;
}) {
  const { task, format = formatCount } = props;
  if (!isFailedTask(task)) return <>{format(task.credits_cost)}</>;
  return (
    <>
      <del>{formatCount(task.credits_cost)}</del> {format(0)}
    </>
  );
}
