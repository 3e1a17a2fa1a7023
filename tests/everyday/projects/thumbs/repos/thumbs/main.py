"""Make a small picture of each photo."""

from pathlib import Path

from PIL import Image, ImageOps

for file in Path("/input").iterdir():
    with Image.open(file) as photo:
        small = ImageOps.exif_transpose(photo).convert("RGB")
    small.thumbnail((96, 96))
    small.save(Path("/output", f"{file.stem}.jpg"), quality=85)
    print(f"{file.name}: {photo.width} × {photo.height} became {small.width} × {small.height}")
