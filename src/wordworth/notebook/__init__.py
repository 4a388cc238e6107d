"""What a notebook needs: models that answer questions, studies that run, results that can be saved and reported."""

from wordworth.notebook.models import LanguageModel, NliModel, load
from wordworth.notebook.questions import Association, sc_weat
from wordworth.notebook.results import Results, SavedRun, compare, read_run, report
from wordworth.notebook.studies import debias, infer, predict, run, static, valnorm, vast, weat
