"""Setting a Raspberry Pi up for a table: packages, user, program, boot file, service; and back.

Room: firmware/pi. It runs on the computer's own Python before anything is installed, so it imports
nothing but the standard library, itself and ``firmware.host``; only ``boot_lines`` runs in the
program's own venv.
"""
