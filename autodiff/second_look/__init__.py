"""What is asked where a derivative came out NaN: which zeros are structural, which slopes and bases do not matter."""
