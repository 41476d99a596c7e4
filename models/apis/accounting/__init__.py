"""What requests take: tokens, windows, shared beginnings, prices."""
