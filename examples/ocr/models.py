"""The three models of the rapidocr-onnxruntime package, each with what it takes and gives.

Between the tools the lines of a plate lie in a folder: line0.png, line1.png, ... from top to
bottom as the camera saw them.
"""

import pathlib

import cv2
import numpy as np
import rapidocr_onnxruntime
from rapidocr_onnxruntime.utils import read_yaml, update_model_path

ROOT = pathlib.Path(rapidocr_onnxruntime.__file__).parent


def settings(section, cuda):
    config = update_model_path(read_yaml(ROOT / "config.yaml"))[section]
    # One lease, one core: how many run at once is for the scheduler to say.
    return config | {"intra_op_num_threads": 1, "inter_op_num_threads": 1, "use_cuda": cuda}


class Detect:
    """A picture of a plate: where its lines are, cut out and laid straight."""

    def __init__(self, cuda=False):
        from rapidocr_onnxruntime.ch_ppocr_det import TextDetector

        self.model = TextDetector(settings("Det", cuda))

    def __call__(self, picture, out):
        image = cv2.imread(str(picture))
        if image is None:
            raise ValueError(f"{picture} is no picture")
        boxes, _ = self.model(image)
        boxes = sorted(boxes, key=lambda box: box[:, 1].mean())
        for number, box in enumerate(boxes):
            cv2.imwrite(str(out / f"line{number}.png"), cut(image, box))


class Direction:
    """Lines cut out: those that stand on their heads are turned, and the plate with them."""

    def __init__(self, cuda=False):
        from rapidocr_onnxruntime.ch_ppocr_cls import TextClassifier

        self.model = TextClassifier(settings("Cls", cuda))

    def __call__(self, lines, out):
        lines = read_lines(lines)
        if not lines:
            return
        _, labels, _ = self.model(lines)
        # All lines of a plate stand alike: the surest of them decide.
        votes = sum(score if label == "180" else -score for label, score in labels)
        if votes > 0:
            lines = [cv2.rotate(line, cv2.ROTATE_180) for line in reversed(lines)]
        for number, line in enumerate(lines):
            cv2.imwrite(str(out / f"line{number}.png"), line)


class Recognise:
    """Upright lines: what is written in them."""

    def __init__(self, cuda=False):
        from rapidocr_onnxruntime.ch_ppocr_rec import TextRecognizer

        self.model = TextRecognizer(settings("Rec", cuda))

    def __call__(self, lines, out):
        lines = read_lines(lines)
        texts = [text for text, _ in self.model(lines)[0]] if lines else []
        (out / "text.txt").write_text("".join(f"{text}\n" for text in texts), "utf-8")


def cut(image, box):
    """What lies in a box that may be askew."""
    width = max(np.linalg.norm(box[0] - box[1]), np.linalg.norm(box[2] - box[3]))
    height = max(np.linalg.norm(box[0] - box[3]), np.linalg.norm(box[1] - box[2]))
    width, height = int(width), int(height)
    corners = np.float32([[0, 0], [width, 0], [width, height], [0, height]])
    straight = cv2.getPerspectiveTransform(np.float32(box), corners)
    return cv2.warpPerspective(image, straight, (width, height), flags=cv2.INTER_CUBIC)


def read_lines(folder):
    # By number: there may be more than ten.
    paths = sorted(pathlib.Path(folder).glob("line*.png"), key=lambda path: int(path.stem[4:]))
    return [cv2.imread(str(path)) for path in paths]
