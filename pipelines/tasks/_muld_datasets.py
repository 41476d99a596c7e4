"""DatasetInfo about MuLD's published files: paths as the hub lists them, counts of Table 1 in Hudson and Al Moubayed
2022.

Character types: what Table 1 counts as "train", 167, is the published validation split; the counts are the files'.
"""

from pipelines.sources import DatasetInfo

REPOSITORY = "ghomasHudson/muld"

DATASETS = {
    "narrativeqa": DatasetInfo(
        repository=REPOSITORY,
        files={
            "train": ("data/narrativeqa_train.json.bz2",),
            "validation": ("data/narrativeqa_validation.json.bz2",),
            "test": ("data/narrativeqa_test.json.bz2",),
        },
        layout="muld",
        counts={"train": 32_159, "validation": 3_461, "test": 10_261},
        originals=("narrativeqa",),
    ),
    "hotpotqa": DatasetInfo(
        repository=REPOSITORY,
        files={
            "train": ("data/hotpotqa_train.json.bz2",),
            "validation": ("data/hotpotqa_validation.json.bz2",),
        },
        layout="muld",
        counts={"train": 87_752, "validation": 7_405},
        originals=("hotpotqa",),
        originals_differ="HotpotQA's own paragraphs, where MuLD's documents are whole pages",
    ),
    "style_change": DatasetInfo(
        repository=REPOSITORY,
        files={
            "train": ("data/style_change_train.json.bz2",),
            "validation": ("data/style_change_validation.json.bz2",),
            "test": ("data/style_change_test.json.bz2",),
        },
        layout="style_change",
        counts={"train": 6_354, "validation": 705, "test": 2_352},
        has_query=False,
    ),
    "character_types": DatasetInfo(
        repository=REPOSITORY,
        files={
            "train": ("data/character_id_train.json.bz2",),
            "validation": ("data/character_id_validation.json.bz2",),
            "test": ("data/character_id_test.json.bz2",),
        },
        layout="character_types",
        counts={"train": 1_256, "validation": 167, "test": 86},
        count_source="the published set",
    ),
    "opensubtitles": DatasetInfo(
        repository=REPOSITORY,
        files={
            "train": ("data/opensubtitles_train.json.bz2",),
            "test": ("data/opensubtitles_test.json.bz2",),
        },
        layout="muld",
        counts={"train": 4_252, "test": 1_385},
        originals=("aligned",),
        originals_differ="files of lines of one's own",
        has_query=False,
    ),
    "vlsp": DatasetInfo(
        repository=REPOSITORY,
        files={"test": ("data/vlsp_test.json.bz2",)},
        layout="muld",
        counts={"test": 482},
        originals=("vlsp",),
        has_query=False,
    ),
}
