#include <string.h>

#include "replay/cli/options.h"

/* "a set of switches: K41, K60, .." */
static void put_profiles(struct buf *b)
{
	const char *name;
	for (size_t i = 0; (name = policy_profile_at(i)) != NULL; i++)
		buf_printf(b, "%s%s", i > 0 ? ", " : "one of ", name);
}

static void put_option(struct buf *b, const struct option *o)
{
	size_t start = b->n;
	if (o->letter != 0)
		buf_printf(b, "  -%c, ", o->letter);
	else
		buf_text(b, "      ");
	buf_printf(b, "--%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
	buf_printf(b, "%*s", b->n - start < 33 ? (int)(33 - (b->n - start)) : 1, "");
	buf_printf(b, " %s", o->help);
	if (strcmp(o->name, "profile") == 0)
		put_profiles(b);
	buf_char(b, '\n');
}

void help_program(struct buf *b)
{
	buf_text(b,
		 "usage: acpdbg COMMAND [OPTION]... | acpdbg [open] [FILE]\n\n"
		 "Replays recorded sessions of an LLM agent through the context-compression kernel.\n"
		 "Without FILE: recent sessions of Pi, OMP, DSH, Claude Code and Codex, this directory's on top.\n\n");
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++)
		if (k->run != NULL)
			buf_printf(b, "  %-11s %-10s %s\n", k->name, k->arguments, k->help);
	buf_text(b,
		 "\n`acpdbg help COMMAND` lists the options of a command, `acpdbg help policy` profiles and\n"
		 "switches, `acpdbg help conditions` what probe and check --assert understand, `acpdbg help\n"
		 "config` what can be set for all sessions. FILE may be - for standard input.\n"
		 "Exit codes: 0 fine, 1 findings, 64 usage, 65 unreadable input, 66 no such file, 70 internal error.\n"
		 "Not built yet: ");
	const char *separator = "";
	for (const struct command *k = commands; k < commands + COMMAND_COUNT; k++)
		if (k->run == NULL) {
			buf_printf(b, "%s%s", separator, k->name);
			separator = ", ";
		}
	buf_text(b, ".\n");
}

/* By command: what is not built has no line. */
static const char *const chinese[COMMAND_COUNT] = {
	[COMMAND_OPEN] = "打开终端界面；没有终端时打印 replay 的表格",
	[COMMAND_LAST] = "打开最近的会话",
	[COMMAND_REPLAY] = "不用界面的重放：表格、跟踪，或某一个位置",
	[COMMAND_SCREEN] = "按下若干键之后的屏幕，输出文本、ANSI 或 SVG",
	[COMMAND_INFO] = "格式、宿主、模型、数量、损坏、假设、与记录的一致程度",
	[COMMAND_CHECK] = "对每一轮检查断言；不成立时退出码为 1",
	[COMMAND_DIFF] = "两种策略或两个会话之间的差异",
	[COMMAND_PROBE] = "各表达式在每一轮的值，按列输出",
	[COMMAND_CONVERT] = "把可读的任何格式转换为录制文件",
	[COMMAND_PARSE_ARGS] = "从标准输入解析 compress 的参数并给出诊断",
	[COMMAND_COMPACT] = "在某个位置执行 /compact 会怎样",
	[COMMAND_COMPLETION] = "bash 的补全脚本",
	[COMMAND_MAN] = "手册页",
	[COMMAND_HELP] = "本列表，或某个命令的选项",
	[COMMAND_VERSION] = "程序与格式的版本",
};

void help_chinese(struct buf *b)
{
	buf_text(b, "用法: acpdbg 命令 [选项]... | acpdbg [open] [文件]\n\n"
		    "把录制的 LLM 代理会话逐轮（向前、向后）重放到上下文压缩内核中，并说明每个数字的原因。\n"
		    "不给文件时列出 Pi、OMP、DSH、Claude Code、Codex 最近的会话。会话文件从不被写入。\n\n");
	for (unsigned i = 0; i < COMMAND_COUNT; i++)
		if (commands[i].run != NULL && chinese[i] != NULL)
			buf_printf(b, "  %-11s %s\n", commands[i].name, chinese[i]);
	buf_text(b, "\n界面中的常用键:\n"
		    "  .  ,        下一轮、上一轮        >  <     轮内的下一步、上一步\n"
		    "  ]  [        下一个、上一个事件    }  {     下一次、上一次压缩\n"
		    "  )  (        下一个、上一个用户轮  42g      第 42 轮\n"
		    "  <Enter>     展开一行并说明原因    <Tab>    下一个窗格（<F1> 到 <F10>）\n"
		    "  /  n  N     搜索（pcre2）         &        过滤\n"
		    "  b  c  C     断点，运行到下一个、上一个断点\n"
		    "  m  '        设置标记、回到标记    D  w     与另一策略比较、假设（what-if）\n"
		    "  y  s        复制、保存            ?  q     帮助、关闭\n\n"
		    "详细的英文说明: acpdbg help 命令, help policy, help conditions, help config, acpdbg man\n");
}

void help_command(struct buf *b, enum command_name command)
{
	const struct command *k = &commands[command];
	buf_printf(b, "usage: acpdbg %s [OPTION]...%s%s\n\n%s%s\n", k->name, k->arguments[0] ? " " : "", k->arguments,
		   k->help, k->run ? "" : " (not built yet)");
	for (int built = 1; built >= 0; built--) {
		bool any = false;
		for (const struct option *o = options; o->name != NULL; o++) {
			if (!(o->commands >> command & 1) || (o->kind != OPTION_PLANNED) != (built != 0))
				continue;
			if (!any)
				buf_text(b, built ? "\n" : "\nnot built yet:\n");
			any = true;
			put_option(b, o);
		}
	}
}
