"""What this plugin offers."""

from longdoc.plugin import Plugin

PLUGIN = Plugin(
    commands={
        "plan": "pipelines.plugins.study.cli.plan:plan",
        "analyze lengths": "pipelines.plugins.study.cli.benchmarks:lengths",
        "analyze spread": "pipelines.plugins.study.cli.benchmarks:spread",
        "analyze outputs": "pipelines.plugins.study.cli.benchmarks:outputs",
        "analyze curve": "pipelines.plugins.study.cli.curve:curve",
        "analyze agreement": "pipelines.plugins.study.cli.agreement:agreement",
        "analyze label-agreement": "pipelines.plugins.study.cli.label_agreement:label_agreement",
        "analyze repeats": "pipelines.plugins.study.cli.repeats:repeats",
        "benchmark submit": "pipelines.plugins.study.cli.benchmarks:submit",
    },
    functions={
        "repeats": "pipelines.plugins.study.repeats.repeats:repeats",
        "run_repeats": "pipelines.plugins.study.repeats.run_repeats:run_repeats",
        "agreement": "pipelines.plugins.study.agreements.agreement:agreement",
        "label_agreement": "pipelines.plugins.study.agreements.label_agreement:label_agreement",
        "curve": "pipelines.plugins.study.curves.curve:curve",
        "plan": "pipelines.plugins.study.power.power_analysis:plan",
        "lengths": "pipelines.plugins.study.analysis.lengths:lengths",
        "outputs": "pipelines.plugins.study.analysis.outputs:outputs",
        "spread": "pipelines.plugins.study.analysis.spread:spread",
        "analysis": "pipelines.plugins.study.analysis",
        "submit": "pipelines.plugins.study.submissions.submission:submit",
        "check_submission": "pipelines.plugins.study.submissions.submission:check_submission",
    },
    groups={"analyze": "Measure a task's data, or a run's outputs."},
    results="pipelines.plugins.study.logs.results:LogResults",
)
