import type { ComponentType } from "preact";
import { path } from "../place.js";
import { AccountView } from "./account/account-view.js";
import { OverviewView } from "./overview/overview-view.js";
import { RequestsView } from "./requests/requests-view.js";
import { ScenariosView } from "./scenarios/scenarios-view.js";
import { NewTask } from "./tasks/new-task.js";
import { TaskView } from "./tasks/task-view.js";
import { TasksView } from "./tasks/tasks-view.js";

interface View {
  title: string;
  Body: ComponentType;
}

/** The views, by the first part of their path, in the order of the navigation. */
export const VIEWS: readonly (View & { name: string })[] = [
  { name: "", title: "Overview", Body: OverviewView },
  { name: "tasks", title: "Tasks", Body: TasksView },
  { name: "requests", title: "Requests", Body: RequestsView },
  { name: "account", title: "Account", Body: AccountView },
  { name: "scenarios", title: "Scenarios", Body: ScenariosView },
];

const [home] = VIEWS;

export function findView([name = "", below]: readonly string[]): View {
  if (name === "tasks" && below === "new") return { title: "New task", Body: NewTask };
  if (name === "tasks" && below !== undefined) return { title: "Task", Body: TaskView };
  const found = VIEWS.find((view) => view.name === name) ?? home;
  if (found === undefined) throw new Error(`Failed to find a view for ${path.value.join("/")}`);
  return found;
}
